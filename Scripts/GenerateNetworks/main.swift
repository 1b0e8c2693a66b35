print("networks")
