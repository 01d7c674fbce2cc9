"""The report on a pull request: one comment, a section a gate, updated in place.

`section` writes what one decision says, `body` puts sections into one comment and reads them back,
`publish` decides what to write when others write too, and `client` talks to GitHub.
"""
