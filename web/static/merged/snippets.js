import{partsOf as d,withUnit as b}from"./form.js";import{copy as f}from"./shell.js";var $=n=>`'${n.replaceAll("'","'\\''")}'`;function h(n,a,s){let c=t=>t.unit?`${t.number} ${t.unit}`:t.number,l=(t,r)=>(typeof t=="boolean"?t?"yes":"no":c(d(r,t))).replaceAll("|","\\|").replaceAll(`
`," "),p=(t,r)=>t.filter(o=>["number","string","boolean"].includes(typeof r[o.name])&&r[o.name]!=="").map(o=>`| ${o.label} | ${l(r[o.name],b(o,r))} |`),e=JSON.parse(a);return[`**[${n.title}](${location.href})**`,"","| Input | Value |","|---|---|",...p(n.input,e),"","| Result | Value |","|---|---|",...p(n.output.filter(t=>!(t.name in e&&e[t.name]===s[t.name])),s),...(s.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function y(n,a,s){let c=JSON.stringify(JSON.parse(a),null,2),l=`${location.origin}/api/${n.name}`;return{curl:`curl -s ${l} \\
  --json ${$(a)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(l)},
    data=json.dumps(json.loads(r"""${c.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,MCP:JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:n.name,arguments:JSON.parse(a)}},null,2),"JSON request":c,...s?{Markdown:h(n,a,s.result),"JSON answer":JSON.stringify(s,(p,e)=>Array.isArray(e)&&e.length>300?[...e.slice(0,3),`… ${e.length} in all`]:e,2)}:{}}}function k(n,a,s,c){let l=y(a,s,c),p=n.dataset.kind in l?n.dataset.kind:"curl",e=document.createElement("div");e.className="picker",e.setAttribute("role","group"),e.setAttribute("aria-label","Form of the request");let t=document.createElement("pre");t.tabIndex=0;let r=document.createElement("button");r.type="button",r.className="small",r.textContent="Copy",r.addEventListener("click",()=>f(t.textContent,r));let o=u=>{n.dataset.kind=u,t.textContent=l[u];for(let i of e.children)i.setAttribute("aria-pressed",String(i.textContent===u))};for(let u of Object.keys(l)){let i=document.createElement("button");i.type="button",i.className="small",i.textContent=u,i.addEventListener("click",()=>o(u)),e.append(i)}let m=document.createElement("div");m.className="snippet",m.append(r,t),o(p),n.replaceChildren(e,m)}export{k as drawSnippets,$ as shellWord};
