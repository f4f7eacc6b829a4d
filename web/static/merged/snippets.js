import{el as c}from"./form.js";import{joinParts as m,fieldParts as g,resolveUnit as y}from"./form.js";import{repeatsInput as w}from"./form.js";import{copy as h}from"./shell.js";var S=300,O=3,a=(e,t)=>JSON.stringify(e,t,2),j=e=>`'${e.replaceAll("'","'\\''")}'`;function $(e,t){return typeof e=="boolean"?e?"yes":"no":m(g(t,e))}function d(e,t){let r=n=>n.replaceAll("|","\\|").replaceAll(`
`," "),s=n=>["number","string","boolean"].includes(typeof n)&&n!=="";return e.filter(n=>s(t[n.name])).map(n=>`| ${n.label} | ${r($(t[n.name],y(n,t)))} |`)}function k(e,t,r){let s=JSON.parse(t),n=location.href.replaceAll("(","%28").replaceAll(")","%29"),l=e.output.filter(o=>!w(e,o,r,s));return[`**[${e.title}](${n})**`,"","| Input | Value |","|---|---|",...d(e.input,s),"","| Result | Value |","|---|---|",...d(l,r),...(r.warnings??[]).map(o=>`
> ${o}`),""].join(`
`)}var b=(e,t)=>`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(e)},
    data=json.dumps(json.loads(r"""${t.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,C=(e,t)=>`const answer = await fetch(${JSON.stringify(e)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${t.replaceAll(`
`,`
  `)}),
});
if (!answer.ok) throw new Error((await answer.json()).title);
const { result } = await answer.json();
console.log(result);`,N=(e,t,r)=>`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${t.includes("`")?JSON.stringify(r):`\`${t}\``}
	resp, err := http.Post(${JSON.stringify(e)}, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Title  string          \`json:"title"\` // of a problem
		Result json.RawMessage \`json:"result"\`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		log.Fatal(answer.Title)
	}
	fmt.Println(string(answer.Result))
}`;function J(e){let t=`${location.origin}/mcp?tools=${e.category}`;return{"MCP config":a({mcpServers:{slipstick:{type:"http",url:t}}}),"VS Code":a({servers:{slipstick:{type:"http",url:t}}}),"mcp-remote":a({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",t]}}})}}var x=(e,t)=>a({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(t)}}),A=(e,t)=>Array.isArray(t)&&t.length>S?[...t.slice(0,O),`… ${t.length} in all`]:t;function q(e,t,r){let s=a(JSON.parse(t)),n=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${n} \\
  --json ${j(t)}`,Python:b(n,s),TypeScript:C(n,s),Go:N(n,s,t),...J(e),"MCP call":x(e,t),"JSON request":s,...r&&{Markdown:k(e,t,r.result),"JSON answer":a(r,A)}}}function M(e,t,r,s){let n=q(t,r,s),l=c("pre",{tabindex:0}),o=c("button",{type:"button",class:"small",onclick:()=>h(l.textContent,o)},"Copy"),p=i=>{e.dataset.kind=i,l.textContent=n[i];for(let f of u.children)f.setAttribute("aria-pressed",String(f.textContent===i))},u=c("div",{class:"picker",role:"group","aria-label":"Form of the request"},Object.keys(n).map(i=>c("button",{type:"button",class:"small",onclick:()=>p(i)},i)));p(e.dataset.kind in n?e.dataset.kind:"curl"),e.replaceChildren(u,c("div",{class:"snippet"},o,l))}export{M as drawSnippets,j as shellWord};
