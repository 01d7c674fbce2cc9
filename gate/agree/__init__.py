"""How far a judge agrees with people, or with another judge; nothing here decides."""
