"""Files of several arrays, with NumPy: python3 make_npz.py writes tests/golden/arrays/*.npz. Made with NumPy 2.4.6."""

import os

import numpy as np

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays")
read = {name: np.load(os.path.join(folder, f"{name}.npy")) for name in ["cube", "classes", "line"]}
arrays = {"examples": read["cube"], "classes": read["classes"], "a/b ü": read["line"], "words": np.array(["a", "bcd"])}
np.savez(os.path.join(folder, "several.npz"), **arrays)
np.savez_compressed(os.path.join(folder, "several-deflated.npz"), **arrays)
np.savez(os.path.join(folder, "only.npz"), x=read["line"])
