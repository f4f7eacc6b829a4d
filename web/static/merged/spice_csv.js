function m(o,p){let s=Object.keys(o[0].step??{}),e=[p,...Object.keys(o[0].vectors).filter(t=>t!==p).sort()].filter(Boolean),a=o.flatMap(({vectors:t,step:c})=>t[e[0]].map((f,r)=>[...s.map(n=>c[n]),...e.map(n=>t[n]?.[r]??"")].join(",")));return[[...s,...e].map(t=>`"${t}"`).join(","),...a].join(`
`)}export{m as csvOf};
