"""A study in parts under Dask: python with_dask.py STUDY OUT [PARTS]

`Client("scheduler:8786")` in place of `LocalCluster` takes a cluster whose machines share the folder OUT.
"""

import sys

from dask.distributed import Client, LocalCluster

import fedbits as fb

if __name__ == "__main__":
    study, out, parts = sys.argv[1], sys.argv[2], int((*sys.argv[3:], 4)[0])
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # A part that was run before is run again: `pure=False` says that its result is not in its arguments alone.
        futures = [client.submit(fb.run_shard, study, index, parts, out, pure=False) for index in range(parts)]
        client.gather(futures)
    print(fb.run(study, out=out).runs)
