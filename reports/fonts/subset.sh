#!/bin/sh
# Makes the two font files of this folder from STIX-Regular.otf and STIX-Italic.otf (Debian package fonts-stix 1.1.1).
# Needs fonttools (PyPI) and the two source files in the directory given as the first argument.
set -eu
letters='U+0020-007E,U+00A0-00FF'
more='U+0100-017F,U+0391-03A9,U+03B1-03C9,U+03D1,U+03D5,U+03F5,U+2009,U+2010-2016,U+2018-201A,U+201C-201E,U+2020-2022,U+2026,U+2030,U+2032,U+2033,U+2070,U+2074-208E,U+2113,U+2190-2193,U+2202,U+2207,U+2208,U+2211,U+2212,U+2215,U+221A,U+221E,U+2248,U+2260,U+2264,U+2265,U+22C5,U+27E8,U+27E9'
for style in Regular Italic; do
    # Italic letters stand for mathematical symbols only.
    [ "$style" = Regular ] && codes=$letters,$more || codes=U+0020,U+0041-005A,U+0061-007A,U+03B1-03C9
    pyftsubset "$1/STIX-$style.otf" --unicodes="$codes" --layout-features=kern --no-hinting --desubroutinize \
        --name-IDs=0,1,2,4,6,13,14 --output-file="figure-$style.otf"
    # The licence reserves the name of the original for the original.
    python3 - "figure-$style.otf" "$style" <<'PYTHON'
import sys
from fontTools.ttLib import TTFont
path, style = sys.argv[1:]
font = TTFont(path, recalcTimestamp=False)
names = {1: "Fedbits Figure", 2: style, 4: f"Fedbits Figure {style}", 6: f"FedbitsFigure-{style}"}
for record in font["name"].names:
    if record.nameID in names:
        record.string = names[record.nameID].encode(record.getEncoding())
top = font["CFF "].cff
top.fontNames = [names[6]]
top.topDictIndex[0].FamilyName, top.topDictIndex[0].FullName = names[1], names[4]
font.save(path)
PYTHON
done
