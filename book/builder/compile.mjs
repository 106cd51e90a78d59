// Compiles the Python of archives with Pyodide's own Python, so that a browser need not do it
// each time a kernel or the page to play on starts: node compile.mjs PYODIDE FROM TO [FROM TO ...]
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...paths] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder });
python.runPython(`
import importlib.util
import marshal
import zipfile

# How byte code begins that is taken without a look at its source (PEP 552).
HEAD = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")


def compile_archive(standard_library):
    """Writes /from anew as /to, with byte code."""
    root = "/lib/python314.zip/" if standard_library else "/lib/python3.14/site-packages/"
    with zipfile.ZipFile("/from") as old, zipfile.ZipFile("/to", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            contents = {name: data}
            lexer = name.startswith("pygments/lexers/")  # for hundreds of languages
            if name.endswith(".py") and (not lexer or name.endswith(("_.py", "/python.py"))):
                try:
                    code = compile(data, root + name, "exec", dont_inherit=True)
                except SyntaxError:  # a test of the standard library, or a template
                    code = None
                if code is not None:
                    made = HEAD + importlib.util.source_hash(data) + marshal.dumps(code)
                    if standard_library:  # a zip file holds one or the other
                        contents = {name + "c": made}
                    else:
                        contents[importlib.util.cache_from_source(name)] = made
            for part, content in contents.items():
                new.writestr(zipfile.ZipInfo(part), content, zipfile.ZIP_DEFLATED, 9)
`);
const compileArchive = python.globals.get("compile_archive");
for (let i = 0; i < paths.length; i += 2) {
  python.FS.writeFile("/from", new Uint8Array(fs.readFileSync(paths[i])));
  compileArchive(paths[i].endsWith("python_stdlib.zip"));
  fs.writeFileSync(`${paths[i + 1]}.new`, python.FS.readFile("/to"));
  fs.renameSync(`${paths[i + 1]}.new`, paths[i + 1]); // what is there is complete
}
