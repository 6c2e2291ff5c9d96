"""What may differ between two runs of one program on one machine, and is replaced before texts are compared."""

import re

# pattern, replacement, what it is
FACTS_OF_A_RUN = (
    (re.compile(r"\b(\d+ steps?) in [\w.]+ (?:ms|s|min|h)\b(?:, [\w.]+ rows/s within an epoch)?"),
     r"\1 in <wall time>", "time that the training took on this machine"),
    (re.compile(r"/[^\s\"',:()]*/platforms/(?=[\w./]*\.json)"),
     r"<platforms>/", "folder of the described machines, which lies beside the sources or the installed program"),
    (re.compile(r"/[^\s\"',:()]*/src/([\w./]*\.(?:cpp|h|cu|cuh)):\d+"),
     r"<source>", "place in the source at which a fault of the program was found"),
)


def normalised(text, folder):
    """folder: where the commands ran, which stored.json names."""
    text = text.replace(folder, "<store>")
    for pattern, replacement, _ in FACTS_OF_A_RUN:
        text = pattern.sub(replacement, text)
    return text
