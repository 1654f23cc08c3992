"""From a checkpoint to a bundle: contract, network, golden trace, manifest."""
