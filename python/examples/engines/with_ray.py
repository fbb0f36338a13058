"""A study in parts under Ray: python with_ray.py STUDY OUT [PARTS]

`ray.init(address="auto")` takes a cluster whose machines share the folder OUT.
"""

import sys

import ray

import fedbits as fb

if __name__ == "__main__":
    study, out, parts = sys.argv[1], sys.argv[2], int((*sys.argv[3:], 4)[0])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    part = ray.remote(fb.run_shard)
    ray.get([part.remote(study, index, parts, out) for index in range(parts)])
    ray.shutdown()
    print(fb.run(study, out=out).runs)
