params.scenario = 'my-study.ron'
params.out = 'out/my-study'
params.shards = 64

process SHARD {
    memory '2 GB'
    time '1h'
    errorStrategy 'retry'
    maxRetries 5

    input: val index
    output: val index

    // Failed runs (1) are results, which the merge reports.
    script:
    """
    cd '${launchDir}'
    fedbits run '${params.scenario}' --out '${params.out}' --threads 1 --shard ${index}/${params.shards} || [ \$? -eq 1 ]
    """
}

process MERGE {
    executor 'local'

    input: val indices

    script:
    """
    cd '${launchDir}'
    fedbits merge '${params.out}'
    """
}

workflow {
    SHARD(channel.of(0..(params.shards - 1)))
    MERGE(SHARD.out.collect())
}
