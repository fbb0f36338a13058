//! Figures and tables from record files alone
