//! The distributed algorithms: FedEM and its baselines on the event engine
