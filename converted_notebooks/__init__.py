"""The chapters as modules, made from the notebooks when they are imported.

Importing this package installs the import hook, so this works anywhere:

    from converted_notebooks.s04_engine_interface import Engine

The modules in this folder are made by `utils.jupyter_loader` and are not kept
in version control; the notebooks are the only home of their code.
"""

from utils.jupyter_loader import install_import_hook

install_import_hook()
