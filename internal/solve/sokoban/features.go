package sokoban

// features are the coordinates of a position in feature space.
type features struct {
	packed  uint8 // boxes on targets that can stay there
	away    uint8 // boxes that must be repacked, or cannot reach a target once the packed ones are fixed
	regions uint8 // parts of the level between which the player cannot walk
	links   uint8 // obstructed links between rooms
	blocked uint8 // boxes in the way of the next one to be packed
}

// ahead returns a positive number if f is nearer to a solution than another, judging
// by the features alone.
func (f *features) ahead(o *features) int {
	return first(
		int(f.packed)-int(f.away)-int(o.packed)+int(o.away),
		int(o.blocked)-int(f.blocked), int(o.regions)-int(f.regions), int(o.links)-int(f.links),
	)
}

// a haul is a macro move of a box, with what is known of where it leads.
type haul struct {
	features
	from, to, player uint8
	rank             uint8  // of the target reached, in the order of packing
	room             uint16 // cells that the player can walk to, at most
	pushes           uint16
	chosen           bool
}

func (k *haul) move() fessMove { return fessMove{k.from, k.to, k.player} }

// surveyor generates the hauls of a position and their features.
type surveyor struct {
	*expander
	hauler    *hauler
	packer    *packer
	obstacles *obstacles
	links     []cellSet
	hauls     []haul
	goal      bool // the last of hauls solves the level
}

func newSurveyor(e *expander) *surveyor {
	return &surveyor{expander: e, hauler: newHauler(e.level), packer: newPacker(e.level), obstacles: newObstacles(e.level, e.distances), links: e.findLinks()}
}

// of returns the features of a position that do not depend on the player, and its
// packing, which may be similar to another one.
func (s *surveyor) of(boxes *cellSet, similar *packing) (f features, p *packing) {
	p = s.packer.of(boxes, similar)
	f.packed = uint8(p.kept.count())
	f.away = uint8(min(p.lost+s.packer.stranded(boxes, &p.kept, p.reach), 255))
	for i := range s.links {
		if meets(boxes, &s.links[i]) {
			f.links++
		}
	}
	return f, p
}

// here returns the features of the position that was entered.
func (s *surveyor) here() features {
	f, p := s.of(&s.boxes, nil)
	s.hauler.fix(&s.boxes)
	f.regions = uint8(s.hauler.regions)
	f.blocked = s.blocked(&s.boxes, p, s.player)
	return f
}

// blocked returns the obstacles to the target to be filled next.
func (s *surveyor) blocked(boxes *cellSet, p *packing, player int) uint8 {
	target := none
	for _, t := range s.targetList {
		if p.rank[t] > 0 && (target == none || p.rank[t] > p.rank[target]) {
			target = int(t)
		}
	}
	if target == none {
		return 0
	}
	return s.obstacles.between(boxes, &p.kept, player, target)
}

// survey generates the hauls of the position that was entered. It stops at one that
// solves the level.
func (s *surveyor) survey() {
	s.hauls, s.goal = s.hauls[:0], false
	fence, fenced := s.corral(&s.boxes, &s.reached)
	now := s.packer.of(&s.boxes, nil)
	for slot, c := range s.list {
		if fenced && !fence.has(int(c)) {
			continue
		}
		if s.surveyBox(slot, int(c), now); s.goal {
			return
		}
	}
}

func (s *surveyor) surveyBox(slot, c int, now *packing) {
	h := s.hauler
	others := s.boxes
	others.remove(c)
	h.fix(&others)
	h.begin(c, &s.reached)
	var safe, unsafe cellSet
	allowed := func(to, side int) bool {
		if unsafe.has(to) {
			return false
		}
		if !safe.has(to) {
			boxes := others
			boxes.add(to)
			if s.freezes(&boxes, to) {
				unsafe.add(to)
				return false
			}
			safe.add(to)
		}
		return !s.obstructs(slot, to, side)
	}
	pushes, last := uint16(0), len(h.queue)
	known := none
	var f features
	var p *packing
	for i := 0; i < len(h.queue); i++ {
		if i == last {
			pushes, last = pushes+1, len(h.queue)
		}
		h.pushes(i, allowed)
		at := h.queue[i]
		if at.from < 0 {
			continue
		}
		to := int(at.cell)
		boxes := others
		boxes.add(to)
		if to != known {
			f, p = s.of(&boxes, now)
			known = to
		}
		f.regions = uint8(h.regions - 1 + int(h.parts[to]))
		player := h.next[to][at.side]
		f.blocked = s.blocked(&boxes, p, int(player))
		k := haul{features: f, from: uint8(c), to: at.cell, player: uint8(player), pushes: pushes, rank: now.rank[to]}
		if h.parts[to] == 1 {
			k.room = h.sizes[h.label[player]]
		}
		s.hauls = append(s.hauls, k)
		if boxes == s.targets {
			s.goal = true
			return
		}
	}
}

// obstructs reports whether a box on a cell, with the player at a side, is dead with
// one or two others.
func (s *surveyor) obstructs(slot, to, side int) bool {
	for i, a := range s.list {
		if i != slot && s.pairs.of(uint8(to), side, a) == deadPair {
			return true
		}
	}
	if s.triples == nil {
		return false
	}
	for i, a := range s.list {
		if i == slot {
			continue
		}
		for j, b := range s.list[:i] {
			if j != slot && s.triples.dead(uint8(to), side, a, b) {
				return true
			}
		}
	}
	return false
}
