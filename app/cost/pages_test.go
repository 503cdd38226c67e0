package cost_test

var onAPage = []grows{}
var inAFile = []grows{}
