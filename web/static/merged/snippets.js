import{joined as d,partsOf as f,withUnit as g}from"./form.js";import{repeats as y}from"./form.js";import{copy as w}from"./shell.js";var h=t=>`'${t.replaceAll("'","'\\''")}'`;function S(t,r,s){let a=(e,o)=>(typeof e=="boolean"?e?"yes":"no":d(f(o,e))).replaceAll("|","\\|").replaceAll(`
`," "),i=(e,o)=>e.filter(l=>["number","string","boolean"].includes(typeof o[l.name])&&o[l.name]!=="").map(l=>`| ${l.label} | ${a(o[l.name],g(l,o))} |`),u=JSON.parse(r),n=location.href.replaceAll("(","%28").replaceAll(")","%29");return[`**[${t.title}](${n})**`,"","| Input | Value |","|---|---|",...i(t.input,u),"","| Result | Value |","|---|---|",...i(t.output.filter(e=>!y(t,e,s,u)),s),...(s.warnings??[]).map(e=>`
> ${e}`),""].join(`
`)}function b(t){let r=`${location.origin}/mcp?tools=${t.category}`,s=a=>JSON.stringify(a,null,2);return{"MCP config":s({mcpServers:{slipstick:{type:"http",url:r}}}),"VS Code":s({servers:{slipstick:{type:"http",url:r}}}),"mcp-remote":s({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",r]}}})}}function j(t,r,s){let a=JSON.stringify(JSON.parse(r),null,2),i=`${location.origin}/api/${t.name}`;return{curl:`curl -s ${i} \\
  --json ${h(r)}`,Python:`import json, urllib.request

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
}`,...b(t),"MCP call":JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:t.name,arguments:JSON.parse(r)}},null,2),"JSON request":a,...s?{Markdown:S(t,r,s.result),"JSON answer":JSON.stringify(s,(u,n)=>Array.isArray(n)&&n.length>300?[...n.slice(0,3),`… ${n.length} in all`]:n,2)}:{}}}function k(t,r,s,a){let i=j(r,s,a),u=t.dataset.kind in i?t.dataset.kind:"curl",n=document.createElement("div");n.className="picker",n.setAttribute("role","group"),n.setAttribute("aria-label","Form of the request");let e=document.createElement("pre");e.tabIndex=0;let o=document.createElement("button");o.type="button",o.className="small",o.textContent="Copy",o.addEventListener("click",()=>w(e.textContent,o));let l=p=>{t.dataset.kind=p,e.textContent=i[p];for(let c of n.children)c.setAttribute("aria-pressed",String(c.textContent===p))};for(let p of Object.keys(i)){let c=document.createElement("button");c.type="button",c.className="small",c.textContent=p,c.addEventListener("click",()=>l(p)),n.append(c)}let m=document.createElement("div");m.className="snippet",m.append(o,e),l(u),t.replaceChildren(n,m)}export{k as drawSnippets,h as shellWord};
