//! EM mathematics: statistics, the map T, objectives, data sets
