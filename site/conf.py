"""The site: the Markdown pages of the repository where they are, the gallery, and the reference of the Python package.

`site/build` calls Sphinx with the repository as the folder of sources, so that links between pages work here as they do
on the forge.
"""

import importlib.util
import os
from pathlib import Path

project = "fedbits"
copyright = "the authors of fedbits"
version = release = next(
    line.split('"')[1] for line in (Path(__file__).parents[1] / "Cargo.toml").read_text().splitlines() if line.startswith("version = ")
)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
root_doc = "site/index"
include_patterns = [
    "site/index.md",
    "site/made/*.md",
    "docs/*.md",
    "benches/README.md",
    ".ci/README.md",
    "tools/README.md",
    "tools/emulate/README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
]

# The pages of the gallery that run.
html_extra_path = ["made/pages"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True

if importlib.util.find_spec("fedbits") is None:
    # The page says that it is left out; nothing else is missing.
    tags.add("without_python")  # noqa: F821


def setup(app):
    """Languages that Pygments has under another name, or not."""
    from pygments.lexers import RustLexer, TextLexer

    app.add_lexer("ron", RustLexer)
    app.add_lexer("csv", TextLexer)


html_theme = "pydata_sphinx_theme"
html_title = "fedbits"
html_static_path = []
# The pages have no pages below them.
html_sidebars = {"**": []}
html_theme_options = {
    "navigation_depth": 2,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
}
if os.environ.get("FEDBITS_REPOSITORY"):
    html_theme_options["github_url"] = os.environ["FEDBITS_REPOSITORY"]
