package apptest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"birthregistry/assets"
)

// kin-openapi loads the published document and checks it. It could also validate bodies, but it
// would compile the schema again for every response, which takes 2 ms and 1 MiB each time. So this
// file compiles every schema once, and directly calls the validator that kin-openapi uses for
// OpenAPI 3.1.

// document is the published OpenAPI document in a form with which responses can be compared.
type document struct {
	paths      []pathItem
	noSuchPath map[int]*answer
}

type pathItem struct {
	template string
	prefix   string // the path before the parameter, or the whole path
	open     bool   // set if there is a parameter, which matches the whole rest of a path: an id with a slash is a malformed id
	methods  map[string]map[int]*answer
	// notAllowed has the answers to a request with any other method.
	notAllowed map[int]*answer
}

// answer is a response that the document describes.
type answer struct {
	headers map[string]header // headers by canonical name
	content map[string]*jsonschema.Schema
	// problems lists the problems that the examples name. It is nil if the examples aren't
	// OperationOutcomes.
	problems []string
}

type header struct {
	required bool
	kind     string // the type in the schema: string, integer or boolean
	schema   *jsonschema.Schema
}

// published returns the OpenAPI document. It loads the document only once in each test process.
var published = sync.OnceValues(func() (*document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(assets.OpenAPI)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	schemas, err := newSchemas(assets.OpenAPI)
	if err != nil {
		return nil, err
	}
	d := &document{noSuchPath: map[int]*answer{}}
	const elsewhere = "NoSuchPath"
	d.noSuchPath[http.StatusNotFound], err = schemas.answer(doc.Components.Responses[elsewhere], "#/components/responses/"+elsewhere)
	for template, item := range doc.Paths.Map() {
		if err == nil {
			err = d.add(schemas, template, item)
		}
	}
	return d, err
})

// add adds a path to the document, with the responses that each of its methods may get.
func (d *document) add(schemas schemas, template string, item *openapi3.PathItem) error {
	p := pathItem{template: template, methods: map[string]map[int]*answer{}, notAllowed: map[int]*answer{}}
	p.prefix, _, p.open = strings.Cut(template, "{")
	for method, operation := range item.Operations() {
		answers := map[int]*answer{}
		for status, response := range operation.Responses.Map() {
			at := "#/paths/" + escape(template) + "/" + strings.ToLower(method) + "/responses/" + status
			code, err := strconv.Atoi(status)
			if err != nil { // the key "default" would accept every status
				return fmt.Errorf("%s: the status is no number", at)
			}
			if answers[code], err = schemas.answer(response, at); err != nil {
				return err
			}
		}
		p.methods[method] = answers
		p.notAllowed[http.StatusMethodNotAllowed] = answers[http.StatusMethodNotAllowed]
	}
	d.paths = append(d.paths, p)
	return nil
}

// schemas compiles schemas of the document. A JSON pointer names each schema. The document needs no
// conversion, because an OpenAPI 3.1 document is a JSON Schema 2020-12 resource.
type schemas struct{ compiler *jsonschema.Compiler }

func newSchemas(text []byte) (schemas, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return schemas{}, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	return schemas{compiler}, compiler.AddResource("openapi.json", doc)
}

func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(token)
}

func (s schemas) compile(at string) (*jsonschema.Schema, error) {
	schema, err := s.compiler.Compile("openapi.json" + at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return schema, nil
}

func (s schemas) answer(response *openapi3.ResponseRef, at string) (a *answer, err error) {
	at = cmp.Or(response.Ref, at)
	a = &answer{headers: map[string]header{}, content: map[string]*jsonschema.Schema{}}
	for name, ref := range response.Value.Headers {
		h := header{required: ref.Value.Required, kind: ref.Value.Schema.Value.Type.Slice()[0]}
		place := cmp.Or(ref.Ref, at+"/headers/"+name)
		if h.schema, err = s.compile(place + "/schema"); err != nil {
			return nil, err
		}
		a.headers[http.CanonicalHeaderKey(name)] = h
	}
	for mediaType, content := range response.Value.Content {
		if a.content[mediaType], err = s.compile(at + "/content/" + escape(mediaType) + "/schema"); err != nil {
			return nil, err
		}
		for _, example := range content.Examples {
			if name, ok := problemOf(example.Value.Value); ok {
				a.problems = append(a.problems, name)
			}
		}
	}
	return a, nil
}
