import{partsOf as d,withUnit as b}from"./form.js";import{repeats as f}from"./form.js";import{copy as $}from"./shell.js";var h=e=>`'${e.replaceAll("'","'\\''")}'`;function y(e,a,s){let c=t=>t.unit?`${t.number} ${t.unit}`:t.number,i=(t,r)=>(typeof t=="boolean"?t?"yes":"no":c(d(r,t))).replaceAll("|","\\|").replaceAll(`
`," "),p=(t,r)=>t.filter(o=>["number","string","boolean"].includes(typeof r[o.name])&&r[o.name]!=="").map(o=>`| ${o.label} | ${i(r[o.name],b(o,r))} |`),n=JSON.parse(a);return[`**[${e.title}](${location.href})**`,"","| Input | Value |","|---|---|",...p(e.input,n),"","| Result | Value |","|---|---|",...p(e.output.filter(t=>!f(e,t,s,n)),s),...(s.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function N(e,a,s){let c=JSON.stringify(JSON.parse(a),null,2),i=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${i} \\
  --json ${h(a)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(i)},
    data=json.dumps(json.loads(r"""${c.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,MCP:JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(a)}},null,2),"JSON request":c,...s?{Markdown:y(e,a,s.result),"JSON answer":JSON.stringify(s,(p,n)=>Array.isArray(n)&&n.length>300?[...n.slice(0,3),`… ${n.length} in all`]:n,2)}:{}}}function x(e,a,s,c){let i=N(a,s,c),p=e.dataset.kind in i?e.dataset.kind:"curl",n=document.createElement("div");n.className="picker",n.setAttribute("role","group"),n.setAttribute("aria-label","Form of the request");let t=document.createElement("pre");t.tabIndex=0;let r=document.createElement("button");r.type="button",r.className="small",r.textContent="Copy",r.addEventListener("click",()=>$(t.textContent,r));let o=u=>{e.dataset.kind=u,t.textContent=i[u];for(let l of n.children)l.setAttribute("aria-pressed",String(l.textContent===u))};for(let u of Object.keys(i)){let l=document.createElement("button");l.type="button",l.className="small",l.textContent=u,l.addEventListener("click",()=>o(u)),n.append(l)}let m=document.createElement("div");m.className="snippet",m.append(r,t),o(p),e.replaceChildren(n,m)}export{x as drawSnippets,h as shellWord};
