print("cleanplate")
