package draw

// motion is how a group moves in an animation.
type motion struct{}

func (m *motion) svg(*svgWriter) {}
