// Python and the engine, apart from the page: a search may take any time.
// The page ends this worker: `EngineWorker.end`.
import { loadPyodide } from "../lite/static/pyodide/pyodide.mjs";

try {
  const python = await loadPyodide({ packages: ["course"] });
  python.globals.set("post", (text) => self.postMessage(text));
  const session = python.runPython(`
from utils.play.page import PageSession
PageSession(post)
`);
  self.onmessage = ({ data }) => {
    session.receive(data);
    self.postMessage(JSON.stringify({ done: true }));
    session.warm_up();
  };
  self.postMessage(JSON.stringify({ ready: true }));
  session.warm_up();
} catch (error) {
  self.postMessage(JSON.stringify({ failure: String(error) }));
}
