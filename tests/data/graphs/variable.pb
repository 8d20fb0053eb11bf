
	weights:0weights/Assignweights/read:02weights/Initializer/zeros:08