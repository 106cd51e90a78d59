"""The cards of the title page, one for each chapter of a part of the book."""

from __future__ import annotations

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from book.builder.contents import of_part


class ChapterCards(SphinxDirective):
    """Cards for the chapters of a part: title, idea, and the strength of the engine."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The cards, as the directives of sphinx-design make them."""
        lines = [":::::{grid} 1 2 2 3", ":gutter: 2", ":class-container: course-cards", ""]
        for one in of_part(self.arguments[0]):
            lines += [f"::::{{grid-item-card}} {{doc}}`{one.name}`", one.idea, ""]
            if one.has_engine:
                lines += [":::{card-footer}", f"{{elo}}`{one.number}`", ":::"]
            lines += ["::::", ""]
        node = nodes.Element()
        self.state.nested_parse(StringList([*lines, ":::::"], source=""), 0, node)
        return list(node.children)
