"""Arrays and numbers of calls: those of NumPy and of other libraries, and what a computation requires of them."""
