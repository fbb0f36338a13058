"""A study in parts under SLURM by submitit: python with_submitit.py STUDY OUT [PARTS]

Where there is no SLURM the parts are processes of this machine.
"""

import sys
from pathlib import Path

import submitit

import fedbits as fb

if __name__ == "__main__":
    study, out, parts = sys.argv[1], Path(sys.argv[2]), int((*sys.argv[3:], 4)[0])
    # Beside the results, which are in a folder of their own.
    executor = submitit.AutoExecutor(folder=out.with_name(f"{out.name}-jobs"))
    executor.update_parameters(timeout_min=60, cpus_per_task=1, slurm_array_parallelism=2)
    jobs = executor.map_array(fb.run_shard, [study] * parts, range(parts), [parts] * parts, [str(out)] * parts)
    for job in jobs:
        job.result()
    print(fb.run(study, out=out).runs)
