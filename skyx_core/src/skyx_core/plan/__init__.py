"""From what a task asks for to ranked candidates. Pure: sources of offers are passed in."""
