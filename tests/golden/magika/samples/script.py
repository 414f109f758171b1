

"""Count the words of a text and print the most common ones."""

import collections
import sys


def count(lines):
    words = collections.Counter()
    for line in lines:
        words.update(word.strip(".,;:!?").lower() for word in line.split())
    return words


if __name__ == "__main__":
    for word, times in count(sys.stdin).most_common(10):
        print(f"{times:6} {word}")
