import{partsOf as d,withUnit as f}from"./form.js";import{repeats as g}from"./form.js";import{copy as y}from"./shell.js";var w=n=>`'${n.replaceAll("'","'\\''")}'`;function b(n,r,s){let a=t=>t.unit?`${t.number} ${t.unit}`:t.number,i=(t,o)=>(typeof t=="boolean"?t?"yes":"no":a(d(o,t))).replaceAll("|","\\|").replaceAll(`
`," "),u=(t,o)=>t.filter(l=>["number","string","boolean"].includes(typeof o[l.name])&&o[l.name]!=="").map(l=>`| ${l.label} | ${i(o[l.name],f(l,o))} |`),e=JSON.parse(r);return[`**[${n.title}](${location.href})**`,"","| Input | Value |","|---|---|",...u(n.input,e),"","| Result | Value |","|---|---|",...u(n.output.filter(t=>!g(n,t,s,e)),s),...(s.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function h(n){let r=`${location.origin}/mcp?tools=${n.category}`,s=a=>JSON.stringify(a,null,2);return{"MCP config":s({mcpServers:{slipstick:{type:"http",url:r}}}),"VS Code":s({servers:{slipstick:{type:"http",url:r}}}),"mcp-remote":s({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",r]}}})}}function S(n,r,s){let a=JSON.stringify(JSON.parse(r),null,2),i=`${location.origin}/api/${n.name}`;return{curl:`curl -s ${i} \\
  --json ${w(r)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(i)},
    data=json.dumps(json.loads(r"""${a.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,TypeScript:`const answer = await fetch(${JSON.stringify(i)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${a.replaceAll(`
`,`
  `)}),
});
if (!answer.ok) throw new Error((await answer.json()).title);
const { result } = await answer.json();
console.log(result);`,Go:`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${a.includes("`")?JSON.stringify(r):`\`${a}\``}
	resp, err := http.Post(${JSON.stringify(i)}, "application/json", strings.NewReader(body))
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
}`,...h(n),"MCP call":JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:n.name,arguments:JSON.parse(r)}},null,2),"JSON request":a,...s?{Markdown:b(n,r,s.result),"JSON answer":JSON.stringify(s,(u,e)=>Array.isArray(e)&&e.length>300?[...e.slice(0,3),`… ${e.length} in all`]:e,2)}:{}}}function O(n,r,s,a){let i=S(r,s,a),u=n.dataset.kind in i?n.dataset.kind:"curl",e=document.createElement("div");e.className="picker",e.setAttribute("role","group"),e.setAttribute("aria-label","Form of the request");let t=document.createElement("pre");t.tabIndex=0;let o=document.createElement("button");o.type="button",o.className="small",o.textContent="Copy",o.addEventListener("click",()=>y(t.textContent,o));let l=p=>{n.dataset.kind=p,t.textContent=i[p];for(let c of e.children)c.setAttribute("aria-pressed",String(c.textContent===p))};for(let p of Object.keys(i)){let c=document.createElement("button");c.type="button",c.className="small",c.textContent=p,c.addEventListener("click",()=>l(p)),e.append(c)}let m=document.createElement("div");m.className="snippet",m.append(o,t),l(u),n.replaceChildren(e,m)}export{O as drawSnippets,w as shellWord};
