"""A study in parts under joblib: python with_joblib.py STUDY OUT [PARTS]"""

import sys

from joblib import Parallel, delayed

import fedbits as fb

if __name__ == "__main__":
    study, out, parts = sys.argv[1], sys.argv[2], int((*sys.argv[3:], 4)[0])
    Parallel(n_jobs=2)(delayed(fb.run_shard)(study, index, parts, out) for index in range(parts))
    print(fb.run(study, out=out).runs)
