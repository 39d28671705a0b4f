package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ownRoutes are the page's own: files, tokens in cookies, news, and what charts and the
// graph are drawn from. They may change with it.
var ownRoutes = []string{
	"GET /{file...}", "POST " + loginPath, "POST " + logoutPath, "GET /api/events", "POST /api/edit", "POST /api/notations", "GET /api/sweeps", "GET /api/sweeps/{sweep}", "GET /api/sweeps/{sweep}/cards",
	"GET /api/runs/{run}/timeline", "GET /api/runs/{run}/moves/{key}", "GET /api/runs/{run}/thumbnail", "GET /api/runs/{run}/playable", "GET /api/runs/{run}/graph", "GET /api/runs/{run}/graph/node/{node}", "POST /api/runs/{run}/graph/nodes", "GET /api/runs/{run}/graph/path/{key}",
}

// openAPI is what is read of docs/openapi.json.
type openAPI struct {
	Version string                          `json:"openapi"`
	Paths   map[string]map[string]operation `json:"paths"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	Body      *json.RawMessage `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]json.RawMessage `json:"content"`
	} `json:"responses"`
}

// described reads docs/openapi.json, and a compiler that finds its schemas, in which
// no object may have other fields than those that are named.
func described(t *testing.T) (openAPI, *jsonschema.Compiler) {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var api openAPI
	if err := json.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	makeStrict(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("api.json", doc); err != nil {
		t.Fatal(err)
	}
	return api, c
}

// makeStrict lets no object have other fields than those that its schema names.
func makeStrict(node any) {
	switch v := node.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			makeStrict(inner)
		}
	case []any:
		for _, inner := range v {
			makeStrict(inner)
		}
	}
}

// TestOpenAPI holds docs/openapi.json to the routes of the server: each is described,
// or the page's own; and to its answers, good and bad.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	api, schemas := described(t)
	s, _ := explored(t)
	if !strings.HasPrefix(api.Version, "3.1.") {
		t.Errorf("OpenAPI %s", api.Version)
	}
	routes := s.routes()
	var ids []string
	for path, operations := range api.Paths {
		for method, o := range operations {
			ids = append(ids, o.ID)
			route := strings.ToUpper(method) + " " + path
			if _, there := routes[route]; !there || slices.Contains(ownRoutes, route) {
				t.Errorf("%s is described, and not a route for programs", route)
			}
			delete(routes, route)
			for _, p := range o.Parameters {
				if (p.In == "path") != strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s: parameter %s is not in the path", route, p.Name)
				}
			}
			if strings.Count(path, "{") != countIn(o, "path") {
				t.Errorf("%s: a parameter of the path is not described", route)
			}
		}
	}
	for _, route := range ownRoutes {
		delete(routes, route)
	}
	for route := range routes {
		t.Errorf("%s is not described", route)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("two operations have one name: %v", ids)
	}

	exchanges := someExchanges(t, s)
	for _, changes := range []string{"", "control", "start"} { // what changes the run comes last
		for path, operations := range api.Paths {
			for method, o := range operations {
				if len(exchanges[o.ID]) == 0 {
					t.Errorf("%s is not tried", o.ID)
				}
				if (o.ID == "control" || o.ID == "start") != (changes != "") || changes != "" && changes != o.ID {
					continue
				}
				for _, e := range exchanges[o.ID] {
					tryExchange(t, s, schemas, strings.ToUpper(method), path, o, e)
				}
			}
		}
	}
}

func countIn(o operation, where string) (n int) {
	for _, p := range o.Parameters {
		if p.In == where {
			n++
		}
	}
	return n
}

// An exchange is a request of an operation: what stands for the parameters of the path
// and behind it, the body, and the code of the answer.
type exchange struct {
	values map[string]string
	query  string
	body   any
	code   int
}

func someExchanges(t *testing.T, s *Server) map[string][]exchange {
	t.Helper()
	start := want[details](t, s, http.MethodGet, "/api/runs/small", nil).Start
	type object = map[string]any
	at := func(more ...string) map[string]string {
		values := map[string]string{"run": "small", "key": start}
		for i := 0; i < len(more); i += 2 {
			values[more[i]] = more[i+1]
		}
		return values
	}
	nowhere := exchange{values: at("run", "none"), query: "?to=goal&which=start&offset=0&limit=1", code: http.StatusNotFound}
	return map[string][]exchange{
		"info":  {{code: 200}},
		"check": {{body: object{"text": small}, code: 200}, {body: object{"text": "AA?"}, code: 422}, {body: 1, code: 400}},
		"runs":  {{code: 200}},
		"start": {
			{body: object{"text": small, "board": 3}, code: 400}, {body: object{"text": "AA?"}, code: 422},
			{body: object{"text": small, "goal_distance": true}, code: 200},
		},
		"run":     {{values: at(), code: 200}, nowhere},
		"control": {{values: at("action", "dance"), body: object{}, code: 400}, {values: at("action", "pause", "run", "none"), body: object{}, code: 404}, {values: at("action", "pause"), body: object{}, code: 409}, {values: at("action", "resume"), body: object{}, code: 200}},
		"states": {
			{values: at(), query: "?which=hardest&offset=0&limit=9", code: 200}, {values: at(), query: "?which=goal&offset=1&limit=9", code: 200}, {values: at(), query: "?which=depth&layer=3&offset=1&limit=9", code: 200},
			{values: at(), query: "?which=start&offset=0&limit=201", code: 400}, nowhere,
		},
		"state":   {{values: at(), code: 200}, {values: at("key", "xyz"), code: 400}, nowhere},
		"find":    {{values: at(), body: object{"text": "E.BB / ECCC / .AAF / DD.F"}, code: 200}, {values: at(), body: object{"text": "?"}, code: 422}},
		"path":    {{values: at(), query: "?to=goal", code: 200}, {values: at(), query: "?to=goal&offset=2&limit=3", code: 200}, {values: at(), query: "?to=goal&offset=2", code: 400}, {values: at(), query: "?to=nowhere", code: 400}, nowhere},
		"replay":  {{values: at(), body: object{"from": start, "moves": "A+1 E+1"}, code: 200}, {values: at(), body: object{"from": start, "moves": "Z+9"}, code: 422}},
		"picture": {{values: at(), query: "?labels&dark", code: 200}, {values: at("key", "00"), code: 400}, nowhere},
	}
}

// tryExchange holds the answer to a request to what is described.
func tryExchange(t *testing.T, s *Server, schemas *jsonschema.Compiler, method, path string, o operation, e exchange) {
	t.Helper()
	address := path
	for name, value := range e.values {
		address = strings.ReplaceAll(address, "{"+name+"}", value)
	}
	if (e.body != nil) != (o.Body != nil) {
		t.Errorf("%s: whether it has a body is described otherwise", o.ID)
	}
	code, text := ask(t, s, method, address+e.query, e.body)
	what := fmt.Sprintf("%s %s: %d", method, address+e.query, code)
	if code != e.code {
		t.Errorf("%s, want %d: %s", what, e.code, text)
		return
	}
	for kind := range o.Responses[fmt.Sprint(code)].Content {
		if kind != "application/json" {
			return
		}
		pointer := fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema", strings.ReplaceAll(path, "/", "~1"), strings.ToLower(method), code)
		schema, err := schemas.Compile("api.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, text)
		}
		return
	}
	t.Errorf("%s is not described", what)
}
