package main

import (
	"strconv"
)

// A mode is a way to run the program.
type mode struct {
	GoalDistance bool   `json:"goal_distance"`
	Workers      int    `json:"workers"`
	Memory       string `json:"memory"` // empty for the program's default
}

// The budgets compared: the second is a quarter of the first.
const (
	someMemory  = "256MiB"
	quarterOfIt = "64MiB"
)

// modes returns the modes that the table shows, in order.
func modes() []mode {
	var all []mode
	for _, goal := range []bool{false, true} {
		for _, workers := range []int{1, 2} {
			for _, memory := range []string{"", someMemory, quarterOfIt} {
				all = append(all, mode{GoalDistance: goal, Workers: workers, Memory: memory})
			}
		}
	}
	return all
}

// fewModes returns the modes for spaces that take minutes.
func fewModes() []mode {
	return []mode{
		{Workers: 1},
		{Workers: 2},
		{Workers: 2, Memory: someMemory},
		{Workers: 2, GoalDistance: true},
	}
}

// args returns the flags of `everystate explore` for the mode.
func (m mode) args() []string {
	args := []string{"--workers", strconv.Itoa(m.Workers)}
	if m.Memory != "" {
		args = append(args, "--memory", m.Memory)
	}
	if m.GoalDistance {
		args = append(args, "--goal-distance")
	}
	return args
}

func (m mode) phases() string {
	if m.GoalDistance {
		return "forward+goal"
	}
	return "forward"
}

func (m mode) memory() string {
	if m.Memory == "" {
		return "default"
	}
	return m.Memory
}
