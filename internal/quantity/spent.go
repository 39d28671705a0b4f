package quantity

import "fmt"

// Spent writes the time of a run, which found its states at a rate per second, and then
// perhaps spent more time on goal distances.
func Spent(seconds float64, states int64, perSecond float64) string {
	const least = 0.001 // the last digit of Seconds
	forward := seconds
	if perSecond > 0 {
		forward = float64(states) / perSecond
	}
	if goals := seconds - forward; goals >= least {
		return fmt.Sprintf("%s: %s for the states, %s per second, and %s for goal distances", Seconds(seconds), Seconds(forward), Rate(perSecond), Seconds(goals))
	}
	return fmt.Sprintf("%s, %s states per second", Seconds(seconds), Rate(perSecond))
}
