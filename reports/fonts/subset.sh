#!/bin/sh
# Makes figure-Regular.otf from STIX-Regular.otf (Debian package fonts-stix 1.1.1).
# Needs fonttools (PyPI) and the source file in the directory given as the first argument.
set -eu
codes='U+0020-007E,U+00A0-017F,U+0391-03A9,U+03B1-03C9,U+03D1,U+03D5,U+03F5,U+2009,U+2010-2016,U+2018-201A,U+201C-201E,U+2020-2022,U+2026,U+2030,U+2032,U+2033,U+2070,U+2074-208E,U+210E,U+2113,U+2190-2193,U+2202,U+2207,U+2208,U+2211,U+2212,U+2215,U+221A,U+221E,U+2248,U+2260,U+2264,U+2265,U+22C5,U+27E8,U+27E9,U+1D434-1D467'
pyftsubset "$1/STIX-Regular.otf" --unicodes="$codes" --layout-features=kern --no-hinting --desubroutinize \
    --name-IDs=0,1,2,4,6,13,14 --output-file=figure-Regular.otf
# The licence reserves the name of the original for the original.
python3 - <<'PYTHON'
from fontTools.ttLib import TTFont
font = TTFont("figure-Regular.otf", recalcTimestamp=False)
names = {1: "Fedbits Figure", 2: "Regular", 4: "Fedbits Figure Regular", 6: "FedbitsFigure-Regular"}
for record in font["name"].names:
    if record.nameID in names:
        record.string = names[record.nameID].encode(record.getEncoding())
top = font["CFF "].cff
top.fontNames = [names[6]]
top.topDictIndex[0].FamilyName, top.topDictIndex[0].FullName = names[1], names[4]
font.save("figure-Regular.otf")
PYTHON
