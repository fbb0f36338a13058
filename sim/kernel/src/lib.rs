//! Virtual time, event queue, engine, network and ledger of bits
