//! Vectors to bits and back: integer codes and compressors with exact lengths
