var y,jt,oe,N,nt,B,Rt,L,Et,it,rt,se,F=Symbol.for("pv"),V={},z=[],ae=/^m(i|n|o|s|text|space)$/,lt=Array.isArray,ut=z.slice,A=Object.assign;function E(e){e&&e.parentNode&&e.remove()}function ie(e,t,n){var r,a,o,s={},i=arguments.length;for(o in t)o=="key"?r=t[o]:o=="ref"&&typeof e!="function"?a=t[o]:s[o]=t[o];return i>2&&(s.children=i>3?ut.call(arguments,2):n),q(e,s,r,a,null)}function q(e,t,n,r,a){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:F,__v:a||++jt,__i:-1,__u:0};return!a&&y.vnode&&y.vnode(o),o}function Q(e){return e.children}function I(e,t){this.props=e,this.context=t,this.__g=0}function P(e,t){if(t==null)return e.__&&P(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:P(e)}function le(e){var t,n=e.__v,r=n.__e,a=[],o=[],s=e.__P;s&&((t=A({constructor:F},n)).__v=n.__v+1,y.vnode&&y.vnode(t),_t(s,t,n,e.__n,s.namespaceURI,32&n.__u?[r]:null,a,r||P(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,Ut(a,t,o),n.__=n.__e=null,t.__e!=r&&At(t))}function At(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),At(e)}function gt(e){(8&e.__g||(e.__g|=8,N.push(e),B++))&&nt==y.debounceRendering||((nt=y.debounceRendering)||queueMicrotask)(qt)}function qt(){try{for(var e,t=1;N.length;)N.length>t&&N.sort(Rt),e=N.shift(),t=N.length,8&e.__g&&le(e)}finally{(B=N.length)&&(nt||queueMicrotask)(qt)}}function Ht(e,t,n,r,a,o,s,i,_,p,l){var f,h,u,g,d,c,m=r.__k||z,v=t.length;for(_=ue(n,t,m,_,v),f=0;f<v;f++)(u=n.__k[f])!=null&&(h=~u.__i&&m[u.__i]||V,u.__i=f,c=_t(e,u,h,a,o,s,i,_,p,l),g=u.__e,(h.ref!=u.ref||8&h.__u)&&(h.ref&&ct(h.ref,null,u,h),u.ref&&l.push(u.ref,u.__c||g,u)),d=d||g,4&u.__u?(_=Mt(u,_,e,!h.__v),h.__e&&(h.__e=null)):typeof u.type=="function"&&c!==void 0?_=c:g&&(_=g.nextSibling),u.__u&=-21);return n.__e=d,_}function ue(e,t,n,r,a){var o,s,i,_,p,l,f,h,u,g=n.length,d=g,c=0,m=0,v=e.__k=Array(a);for(o=0;o<a;o++)(s=t[o])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=v[o]=q(null,s):lt(s)?s=v[o]=q(Q,{children:s}):s.constructor===F&&s.__b?s=v[o]=q(s.type,s.props,s.key,s.ref,s.__v):v[o]=s,_=o+c,s.__=e,s.__b=e.__b+1,i=null,~(p=s.__i=_e(s,n,_,d))&&(d--,(i=n[p])&&(i.__u|=2)),i&&i.__v?(s.__u|=16,p==_-1?c--:p==_+1?c++:p!=_&&(p>_?c--:c++,m=1)):(~p||(a>g?c--:a<g&&c++),typeof s.type!="function"&&(s.__u|=4))):v[o]=null;if(m){for(l=[],f=[],o=0;o<a;o++)if((s=v[o])&&16&s.__u){for(c=0,h=l.length;c<h;)l[u=c+h>>1]<s.__i?c=u+1:h=u;l[c]=s.__i,f[o]=c+1}for(c=l.length;o--;)f[o]&&(f[o]==c?c--:v[o].__u|=4)}if(d)for(o=0;o<g;o++)!(i=n[o])||2&i.__u||(i.__e==r&&(r=P(i)),pt(i,i));return r}function Mt(e,t,n,r){var a,o,s,i;if(typeof e.type=="function"){if(e.props.__P)return t;if(a=e.__k)for(o=0;o<a.length;o++)a[o]&&(a[o].__=e,t=Mt(a[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=P(e))&&!t.parentNode&&(t=null),s=e.__e,i=t;i&&i.nodeType==8;)i=i.nextSibling;for(s!=i&&(!r&&n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function _e(e,t,n,r){var a,o=e.key,s=e.type,i=t[n],_=i&&!(2&i.__u);if(i===null&&o==null||_&&o==i.key&&s==i.type)return n;if(r>(_?1:0)){for(a=n-1;a>=0;a--)if((i=t[a])&&!(2&i.__u)&&o==i.key&&s==i.type)return a;for(a=n+1;a<t.length;a++)if((i=t[a])&&!(2&i.__u)&&o==i.key&&s==i.type)return a}return-1}function yt(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function D(e,t,n,r,a){var o,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||yt(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||yt(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(s=rt[t]||(rt[t]=ce(t)),(e.__a||(e.__a={}))[t]=it,o=t!=(t=t.replace(Et,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,s,o):e.removeEventListener(t,s,o));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function ce(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[L]==null)t[L]=it++;else if(t[L]<this.__a[e])return;return n(y.event?y.event(t):t)}}}function _t(e,t,n,r,a,o,s,i,_,p){var l,f,h,u,g,d,c,m,v,k,b,tt,dt,W,j,vt,T,R,C=t.type;if(t.constructor!==F)return null;128&n.__u&&(_=32&n.__u,l=n.__c.__z)&&(t.__u|=_,f=o=[],l.nodeType==8?i=J(l,o):o.push(l),i=o[0]||i),(l=y.__b)&&l(t);t:if(typeof C=="function"){h=s.length;try{if(m=t.props,v=(l=C.prototype)&&l.render,k=(l=C.contextType)&&r[l.__c],b=l?k?k.props.value:l.__:r,(u=n.__c)?(t.__c=u,2&u.__g&&(u.__g|=1)):(v?t.__c=u=new C(m,b):(t.__c=u=new I(m,b),u.constructor=C,u.render=fe),k&&k.sub(u),u.state||(u.state={}),u.__n=r,u.__g|=8,u.__h=[],u.__k=[]),v&&(u.__s||(u.__s=u.state),C.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=A({},u.__s)),A(u.__s,C.getDerivedStateFromProps(m,u.__s)))),g=u.props,d=u.state,u.__v=t,n.__c){if(m!==g&&v&&!C.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(m,b),t.__v==n.__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(m,u.__s,b)===!1){t.__v!=n.__v&&(u.props=m,u.state=u.__s,u.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(x){x&&(x.__=t)}),z.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&s.push(u),i=P(n);break t}u.componentWillUpdate&&u.componentWillUpdate(m,u.__s,b),v&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(g,d,c)})}else v&&!C.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),v&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=b,u.props=m,u.__P=e,u.__g&=-5,tt=y.__r,dt=v?25:0;do u.__g&=-9,tt&&tt(t),l=u.render(u.props,u.state=u.__s,u.context);while(8&u.__g&&++dt<25);v&&(z.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(r=A({},r,u.getChildContext())),v&&n.__c&&u.getSnapshotBeforeUpdate&&(c=u.getSnapshotBeforeUpdate(g,d)),W=l&&l.type===Q&&l.key==null?l.props.children:l,m.__P&&(l=i,a=(e=m.__P).namespaceURI,_=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(x){x&&pt(x,x)}),n.__k=null),i=n.__k?P(n,0):null),i=Ht(e,lt(W)?W:[W],t,n,r,a,o,s,i,_,p),m.__P&&(t.__e=null,i=l),t.__u&=-161,f&&f.some(E),u.__h.length&&s.push(u),1&u.__g&&(u.__g&=-4)}catch(x){if(s.length=h,t.__v=null,_||o)if(x&&x.then){if(t.__u|=128|_,o){for(~(T=o.indexOf(i||void 0))||(T=o.length);(R=o[T-1])&&R.nodeType==8;)T--;for(;T<o.length;T++)if(R=o[T])if(o[T]=null,j){if(R==vt)break}else{if(R.nodeType!=8)break;R.data.startsWith("$s")&&(vt=J(j=R))}}if(!j){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;j=i}(l=J(j=t.__c.__z||(t.__c.__z=j)))?(t.__e=j,i=l):t.__e=i,i=i&&i.nextSibling}else o&&o.some(E);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),x&&x.then||Ft(t),y.__e(x,t,n)}}else i=t.__e=pe(n.__e,t,n,r,a,o,s,_,p,e);return(l=y.diffed)&&l(t),i}function J(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function Ft(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Ft))}function Ut(e,t,n){for(var r=0;r<n.length;)ct(n[r++],n[r++],n[r++]);y.__c&&y.__c(t,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(o){o.call(a)})}catch(o){y.__e(o,a.__v)}})}function pe(e,t,n,r,a,o,s,i,_,p){var l,f,h,u,g,d,c,m,v=n.props||V,k=t.props,b=t.type;if(b=="svg"?a="http://www.w3.org/2000/svg":b=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xhtml"),o){for(l=0;l<o.length;l++)if((g=o[l])&&(b?g.localName==b:g.nodeType==3)){e=g,o[l]=null;break}}if(!e){if(m=p.ownerDocument||document,!b)return m.createTextNode(k);e=m.createElementNS(a,b,k.is?k:p),i&&(y.__m&&y.__m(t,o),i=!1),o=null}if(b){if(p=b=="template"&&e.content||e,o=b=="textarea"&&k.defaultValue!=null?null:o&&ut.call(p.childNodes),!i&&o)for(v={},l=0;l<e.attributes.length;l++)v[(g=e.attributes[l]).name]=g.value;for(l in v)g=v[l],l=="dangerouslySetInnerHTML"?h=g:l=="children"||l in k||l=="value"&&"defaultValue"in k||l=="checked"&&"defaultChecked"in k||D(e,l,null,g,a);for(l in k)g=k[l],l=="children"?u=g:l=="dangerouslySetInnerHTML"?f=g:l=="value"?d=g:l=="checked"?c=g:i&&typeof g!="function"||v[l]===g||D(e,l,g,v[l],a);f?(i||h&&(f.__html==h.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):(h&&(e.textContent=""),(b=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&ae.test(b))&&(a="http://www.w3.org/1999/xhtml"),Ht(p,lt(u)?u:[u],t,n,r,a,o,s,o?o[0]:n.__k&&P(n,0),i,_),o&&o.some(E)),i&&b!="textarea"||(l="value",b=="progress"&&d==null?e.removeAttribute(l):d==null||d===e[l]&&(b!="progress"||d)||D(e,l,d,v[l],a),l="checked",c!=null&&c!=e[l]&&D(e,l,c,v[l],a))}else v===k||i&&e.data==k||(e.data=k);return e}function ct(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){y.__e(a,n)}}function pt(e,t,n){var r,a,o,s;if(y.unmount&&y.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||ct(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(i){y.__e(i,t)}r.__P=r.__n=null}if(r=e.__k)for(s=0;s<r.length;s++)r[s]&&pt(r[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(a=J(r,o=[]))&&(r==e.__e&&o.some(E),E(a),E(r)),n||E(e.__e),e.__e=e.__c=e.__=null}function fe(e,t,n){return this.constructor(e,n)}function Wt(e,t){var n,r,a,o;y.__&&y.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=q(Q,{children:[e]}),a=[],o=[],_t(t,t.__k,r||V,V,t.namespaceURI,r?null:t.firstChild?ut.call(t.childNodes):null,a,r?r.__e:t.firstChild,n,o),Ut(a,t.__k,o),t.__k.props.children=null}y={__e:function(e,t,n,r){for(var a,o,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(o=a.constructor)&&o.getDerivedStateFromError)&&a.setState(o.getDerivedStateFromError(e)),a.componentDidCatch&&(a.componentDidCatch(e,r||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(i){e=i}}throw B=0,e}},jt=0,oe=function(e){return e!=null&&e.constructor===F},I.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=A({},this.state)),typeof e=="function"&&(e=e(A({},n),this.props)),e&&(A(n,e),this.__v&&(t&&this.__k.push(t),gt(this)))},I.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),gt(this))},I.prototype.render=Q,N=[],B=0,Rt=function(e,t){return e.__v.__b-t.__v.__b},L=Symbol(),Et=/(PointerCapture)$|Capture$/i,it=0,rt={},se=0;var M,S,et,bt,ot=Object.is,G=0,Dt=[],st=[],w=y,kt=w.__b,wt=w.__r,St=w.diffed,xt=w.__c,Ct=w.unmount,Tt=w.__;function ft(e,t){w.__h&&w.__h(S,e,G||t),G=0;var n=S.__H||(S.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function O(e){return G=1,me(It,e)}function me(e,t,n){var r=ft(M++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):It(void 0,t),function(o){var s=(r.__N||r.__)[0],i=r.t(s,o);ot(s,i)||(r.__N=[i,r.__[1]],r.__c.setState({}))}],r.__c=S,!S.__f)){S.__f=!0;var a=S.shouldComponentUpdate;S.shouldComponentUpdate=function(o,s,i){var _=this.__H;if(!_)return!0;var p=!1,l=this.props!=o;if(_.__.some(function(h){h.__N&&(p=!0,ot(h.__[0],h.__N[0])||(l=!0))}),a){var f=a.call(this,o,s,i);return p?f||l:f}return!p||l}}return r.__}function U(e,t){var n=ft(M++,3);!w.__s&&Lt(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,S.__H.__h.push(n))}function K(e){return G=5,$e(function(){return{current:e}},[])}function $e(e,t){var n=ft(M++,7);return Lt(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function he(){var e;do{for(;e=st.shift();)try{H(e)}catch(n){w.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Dt.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(H),t.__h.some(at),t.__h=[]}catch(n){t.__h=[],w.__e(n,e.__v)}}}while(st.length)}w.__b=function(e){S=null,kt&&kt(e)},w.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Tt&&Tt(e,t)},w.__r=function(e){wt&&wt(e),M=0;var t=(S=e.__c).__H;t&&(et==S?S.__h=[]:(t.__h.some(H),t.__h.some(at),M=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),et=S},w.diffed=function(e){St&&St(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Pt(Dt.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),et=S=null},w.__c=function(e,t){t.some(function(n){try{n.__h.some(H),n.__h=n.__h.filter(function(r){return!r.__||at(r)})}catch(r){n.__h=[function(){throw r}]}}),xt&&xt(e,t)},w.unmount=function(e){Ct&&Ct(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,Pt(st.push(a))}else H(a)}catch(o){t=o}}),r.__H=void 0,t&&w.__e(t,r.__v))};var Nt=typeof requestAnimationFrame=="function";function de(e){var t,n=function(){clearTimeout(r),Nt&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Nt&&(t=requestAnimationFrame(n))}function Pt(e){e!=1&&bt==w.requestAnimationFrame||((bt=w.requestAnimationFrame)||de)(he)}function H(e){var t=S,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),S=t}function at(e){var t=S;e.__c=e.__(),S=t}function Lt(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!ot(n,e[r])})}function It(e,t){return typeof t=="function"?t(e):t}var Jt=function(e,t,n,r){var a;t[0]=0;for(var o=1;o<t.length;o++){var s=t[o++],i=t[o]?(t[0]|=s?1:2,n[t[o++]]):t[++o];s===3?r[0]=i:s===4?r[1]=Object.assign(r[1]||{},i):s===5?(r[1]=r[1]||{})[t[++o]]=i:s===6?r[1][t[++o]]+=i+"":s?(a=e.apply(i,Jt(e,i,n,["",null])),r.push(a),i[0]?t[0]|=2:(t[o-2]=0,t[o]=a)):r.push(i)}return r},Ot=new Map;function ve(e){var t=Ot.get(this);return t||(t=new Map,Ot.set(this,t)),(t=Jt(this,t.get(e)||(t.set(e,t=(function(n){for(var r,a,o=1,s="",i="",_=[0],p=function(h){o===1&&(h||(s=s.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?_.push(0,h,s):o===3&&(h||s)?(_.push(3,h,s),o=2):o===2&&s==="..."&&h?_.push(4,h,0):o===2&&s&&!h?_.push(5,0,!0,s):o>=5&&((s||!h&&o===5)&&(_.push(o,0,s,a),o=6),h&&(_.push(o,h,0,a),o=6)),s=""},l=0;l<n.length;l++){l&&(o===1&&p(),p(l));for(var f=0;f<n[l].length;f++)r=n[l][f],o===1?r==="<"?(p(),_=[_],o=3):s+=r:o===4?s==="--"&&r===">"?(o=1,s=""):s=r+s[0]:i?r===i?i="":s+=r:r==='"'||r==="'"?i=r:r===">"?(p(),o=1):o&&(r==="="?(o=5,a=s,s=""):r==="/"&&(o<5||n[l][f+1]===">")?(p(),o===3&&(_=_[0]),o=_,(_=_[0]).push(2,0,o),o=0):r===" "||r==="	"||r===`
`||r==="\r"?(p(),o=2):s+=r),o===3&&s==="!--"&&(o=4,_=_[0])}return p(),_})(e)),t),arguments,[])).length>1?t:t[0]}var $=ve.bind(ie);import{buildRequest as Ve,computeChain as ze,connect as Ge,newStep as ht,parseChain as Qe,sourcesFor as Ke}from"./chain_model.js";import{buildRequest as ge,factorOf as ye}from"./chain_model.js";import{shortestDecimal as be}from"./form.js";import{shellWord as X}from"./snippets.js";function Bt(e,t,n,r){let{input:a}=ge(e,t,n,r),o=Object.fromEntries(Object.entries(a).filter(([i])=>!(i in t[r].from))),s=Object.entries(t[r].from).map(([i,_])=>{let p=n[_.step]?.envelope?.result,l=e[r].input.find(f=>f.name===i);return{name:i,step:_.step,source:_.name,isFromResult:p!==void 0&&_.name in p,factor:be(ye(e,r,l,_))}});return{own:o,taken:s}}var Vt=({factor:e})=>e==="1"?"":` * ${e}`;function ke(e,t){let n=JSON.stringify(t.source),[r,a]=t.isFromResult?["out",`.result[${n}]`]:["in",`.[${n}]`],o=`$(printf '%s' "$${r}${t.step+1}" | jq ${X(a)})`,s=X(`.[${JSON.stringify(t.name)}] = $v${Vt(t)}`);return`in${e}=$(printf '%s' "$in${e}" | jq -c --argjson v "${o}" ${s})`}function zt(e,t,n){let r=["#!/bin/sh","# Needs curl and jq.","set -eu",`base=${X(location.origin)}`,""];return t.forEach((a,o)=>{let{own:s,taken:i}=Bt(e,t,n,o),_=o+1;r.push(`# ${_}. ${e[o].title}`,`in${_}=${X(JSON.stringify(s))}`,...i.map(p=>ke(_,p)),`out${_}=$(printf '%s' "$in${_}" | curl -sS --fail-with-body -H 'Content-Type: application/json' --data-binary @- "$base/api/${a.tool}")`,`printf '%s\\n' "$out${_}" | jq .result`,"")}),r.join(`
`)}function we(e,t){let r=`${`${t.isFromResult?"out":"in"}${t.step+1}`}[${JSON.stringify(t.source)}]${Vt(t)}`;return`in${e}[${JSON.stringify(t.name)}] = ${r}`}function Gt(e,t,n){let r=["import json","import urllib.request","",`BASE = ${JSON.stringify(location.origin)}`,"","","def compute(tool, body):","    request = urllib.request.Request(",'        f"{BASE}/api/{tool}", json.dumps(body).encode(), {"Content-Type": "application/json"}',"    )","    with urllib.request.urlopen(request) as answer:",'        return json.load(answer)["result"]',"",""];return t.forEach((a,o)=>{let{own:s,taken:i}=Bt(e,t,n,o),_=o+1;r.push(`# ${_}. ${e[o].title}`,`in${_} = json.loads(${JSON.stringify(JSON.stringify(s))})`,...i.map(p=>we(_,p)),`out${_} = compute(${JSON.stringify(a.tool)}, in${_})`,`print(json.dumps(out${_}, indent=2))`,"")}),r.join(`
`)}import{isScalarField as Qt}from"./chain_model.js";import{pairsToRows as Se}from"./form.js";import{unitText as Kt}from"./form.js";var Xt=e=>e.kind==="numbers"||e.kind==="words",xe=e=>e.kind==="quantity"||e.kind==="literal";function Yt({f:e,id:t,step:n,offers:r,change:a,fieldError:o}){let s=n.from[e.name],i=!Qt(e)&&!Xt(e),_=i&&!s,p=f=>a(h=>(f===""?delete h.values[e.name]:h.values[e.name]=f,h)),l=s?`${t}-from`:t;return $`<div
    class=${`in${o?" bad":""}${_?" rows-in":""}`}
    role=${_?"group":void 0}
    aria-label=${_?e.label:void 0}
  >
    <label for=${_?void 0:l} title=${e.doc}
      >${e.label}${!e.required&&$` <span class="opt">optional</span>`}</label
    >
    ${!s&&$`<${Ce}
        f=${e}
        id=${t}
        step=${n}
        isNested=${i}
        change=${a}
        setText=${p}
        fieldError=${o}
      />`}
    ${r.length>0&&$`<${Te} f=${e} id=${t} source=${s} offers=${r} change=${a} />`}
    ${o&&$`<p class="mistake" role="alert">${o}</p>`}
  </div>`}function Ce({f:e,id:t,step:n,isNested:r,change:a,setText:o,fieldError:s}){if(r)return $`<${Pe} f=${e} id=${t} step=${n} change=${a} />`;let i=n.values[e.name]??"";if(e.options)return $`<${Zt} f=${e} id=${t} text=${i} setText=${o} />`;let _=Kt(e.unit);return $`<span class="entry"
    ><input
      id=${t}
      class=${xe(e)?"num":void 0}
      value=${i}
      placeholder=${e.default??""}
      autocomplete="off"
      spellcheck="false"
      onInput=${p=>o(p.target.value)}
      aria-invalid=${s?"true":void 0}
    />${_&&$`<span class="unit">${_}</span>`}</span
  >`}function Zt({f:e,id:t,text:n,setText:r}){return $`<select
    id=${t}
    value=${n===e.default?"":n}
    onChange=${a=>r(a.target.value)}
  >
    ${e.options.map(a=>$`<option value=${a.value}>${a.text}</option>`)}
  </select>`}function Te({f:e,id:t,source:n,offers:r,change:a}){let o=({step:i,name:_})=>`${i}.${_}`,s=i=>a(_=>{delete _.from[e.name];let p=r.find(l=>o(l)===i);return p&&(_.from[e.name]={step:p.step,name:p.name}),_});return $`<select
    id=${`${t}-from`}
    aria-label=${`${e.label} from`}
    value=${n?o(n):""}
    onChange=${i=>s(i.target.value)}
  >
    <option value="">typed here</option>
    ${r.map(i=>$`<option value=${o(i)}>from ${i.label}</option>`)}
  </select>`}var Ne=[{name:"name",label:"Name"},{name:"value",label:"Value"}];function Pe({f:e,id:t,step:n,change:r}){let a=e.kind==="pairs",o=a?Ne:e.fields.filter(d=>Qt(d)||Xt(d)),s=d=>a?Se([e],d):d,i=s({...n.values}),_=`${e.name}.`,p=Object.keys(i).filter(d=>d.startsWith(_)).map(d=>Number(d.split(".")[1])),l=[...new Set(p)].sort((d,c)=>d-c),f=d=>r(c=>(c.values=s(c.values),d(c.values),c)),h=(d,c)=>f(m=>{m[d]=c}),u=()=>h(`${_}${(l.at(-1)??-1)+1}.${o[0].name}`,""),g=d=>f(c=>{for(let m of Object.keys(c))m.startsWith(`${_}${d}.`)&&delete c[m]});return $`<ol class="rows">
      ${l.map(d=>$`<li class="row" key=${d}>
            ${o.map(c=>{let m=`${_}${d}.${c.name}`;return $`<${Oe}
                key=${c.name}
                column=${c}
                id=${`${t}-${d}-${c.name}`}
                text=${i[m]??""}
                setText=${v=>h(m,v)}
              />`})}
            <button
              type="button"
              class="drop"
              aria-label=${`Remove row ${d+1} of ${e.label}`}
              onClick=${()=>g(d)}
            >
              ✕
            </button>
          </li>`)}
    </ol>
    <button type="button" class="small" onClick=${u}>Add a row</button>`}function Oe({column:e,id:t,text:n,setText:r}){let a=Kt(e.unit);return $`<div class="field">
    <label for=${t} title=${e.doc}>${e.label}${a&&` [${a}]`}</label>
    ${e.options?$`<${Zt} f=${e} id=${t} text=${n} setText=${r} />`:$`<input
            id=${t}
            value=${n}
            placeholder=${e.default??""}
            autocomplete="off"
            spellcheck="false"
            onInput=${o=>r(o.target.value)}
          />`}
  </div>`}import{isScalarField as je}from"./chain_model.js";import{limitDigits as Re,choiceText as Ee,unitSeparator as Ae,fieldParts as mt,formatQuantity as qe,resolveUnit as He}from"./form.js";import{findConclusion as Me}from"./form.js";var Fe=8,Ue=40,We=25;function ee({tool:e,result:t,run:n}){if(!t)return $`<p class="empty">…</p>`;if(t.waiting)return $`<p class="empty">${t.waiting}</p>
      ${t.isRunnable&&$`<button type="button" class="main" onClick=${n}>Run</button>`}`;if(t.error&&!t.fieldErrors?.length)return $`<p class="problem"><b>${t.error.message}</b> ${t.error.advice}</p>`;if(!t.envelope)return $`<p class="empty">Not computed.</p>`;let r=t.envelope.result,a=Me(e,r),o=e.output.filter(s=>je(s)&&De(r[s.name])&&!(s.name in t.input)).sort((s,i)=>te(e,i)-te(e,s)).slice(0,Fe);return $`${a&&$`<p class=${`conclusion ${a.tone}`}>${a.text}</p>`}
  ${t.taken.map(s=>$`<p class="taken">takes ${s.field.label}${Le(s)} from step ${s.source.step+1}</p>`)}
  ${r.warnings?.map(s=>$`<p class="warnings"><span>${s}</span></p>`)}
  ${o.map(s=>$`<${Je} key=${s.name} f=${He(s,r)} v=${r[s.name]} />`)}
  ${r.vectors&&$`<${Be} tool=${e} result=${r} />`}`}var De=e=>e!=null,te=(e,t)=>e.primary?.includes(t.name)?e.primary.length-e.primary.indexOf(t.name):0;function Le({field:e,value:t}){if(typeof t=="number")return` = ${qe(t,e.unit??"")}`;let n=String(t);return n.length>Ue||n.includes(`
`)?"":` = ${n}`}function Ie(e,t){if(typeof t=="number"){let n=mt(e,t);return{...n,number:Re(e,n.number)}}return e.kind==="choice"?mt(e,Ee(e,t)):mt(e,{true:"yes",false:"no"}[t]??String(t))}function Je({f:e,v:t}){if(typeof t=="string"&&t.includes(`
`))return $`<div class="value text">
      <span class="name" title=${e.doc}>${e.label}</span>
      <pre tabindex="0" aria-label=${e.label}>${t}</pre>
    </div>`;let{number:n,unit:r}=Ie(e,t),a=typeof t=="string"&&t.length>=We;return $`<div class="value">
    <span class="name" title=${e.doc}>${e.label}</span
    ><span class=${`number${a?" wordy":""}`}
      >${n}${Ae(r)}${r&&$`<span class="u">${r}</span>`}</span
    >
  </div>`}function Be({tool:e,result:t}){let n=K();return U(()=>{let r,a=!1;return import("./picture_vectors.js").then(o=>{a||(r=o.draw(n.current,{tool:e,result:t}))}),()=>{a=!0,r?.()}},[t]),$`<div ref=${n}></div>`}import{pack as Xe,unpack as Ye}from"./share.js";import{copy as $t,announce as Ze}from"./shell.js";import{loadTool as Z}from"./share.js";var tn=120,{tools:Y,examples:ne}=JSON.parse(document.getElementById("data").textContent);async function en(e){let t=await Promise.all(e.map(n=>Z(n.tool)));return e.forEach((n,r)=>{n.isNew&&(delete n.isNew,Ge(t,e,r))}),t}function nn(){let[e,t]=O([]),[n,r]=O([]),[a,o]=O([]),[s,i]=O(""),_=K(new Set),[p,l]=O(0),f=async c=>{try{r(await en(c)),t(c),o(m=>m.slice(0,c.length)),i("")}catch(m){i(`${m.message}. ${m.advice??""}`)}},h=(c,m)=>f(e.map((v,k)=>k===c?m({...v,values:{...v.values},from:{...v.from}}):v)),u=async c=>f([...e,{...ht(await Z(c)),isNew:!0}]),g=async c=>{o([]),await f(await sn(c))},d=c=>{_.current.add(c),l(p+1)};return U(()=>{an().then(c=>c?f(c):g(ne[0]),()=>i("The link is damaged: it holds no chain that can be read. Ask for it again, or start from an example."))},[]),U(()=>{if(!e.length||n.length!==e.length)return;let c=new AbortController,m=setTimeout(()=>{ze(n,e,{signal:c.signal,mayRun:v=>_.current.has(v),onStep:o}).catch(()=>{}),Xe(JSON.stringify(e)).then(v=>history.replaceState(null,"",`/chain#c=${v}`))},tn);return()=>{clearTimeout(m),c.abort()}},[e,n,p]),$`<div>
    <p class="chips">
      <span class="lbl">Examples</span
      >${ne.map(c=>$`<button type="button" class="chip" onClick=${()=>g(c)}>${c.title}</button>`)}
    </p>
    ${s&&$`<p class="problem" role="alert">${s}</p>`}
    ${e.map((c,m)=>n[m]&&$`<${_n}
          key=${`${m}.${c.tool}`}
          i=${m}
          step=${c}
          tools=${n}
          result=${a[m]}
          last=${e.length-1}
          change=${v=>h(m,v)}
          move=${v=>f(ln(e,m,v))}
          remove=${()=>f(un(e,m))}
          run=${()=>d(Ve(n,e,a,m).json)}
        />`)}
    <${cn} steps=${e} tools=${n} add=${u} />
    ${e.length>0&&$`<${on}
        steps=${e}
        tools=${n}
        results=${a}
        clear=${()=>{history.replaceState(null,"","/chain"),f([])}}
      />`}
  </div>`}async function rn(e,t,n){let{pinFrom:r}=await import("./notebook_store.js");r(e,()=>({tool:t[0].tool,title:n.map(a=>a.title).join(", "),request:{},steps:t}))}function on({steps:e,tools:t,results:n,clear:r}){let a=zt(t,e,n),o=(s,i)=>$`<button type="button" onClick=${i}>${s}</button>`;return $`<p class="picker">
      ${o("Copy link",s=>$t(location.href,s.currentTarget))}
      <button type="button" id="pin" onClick=${s=>rn(s.currentTarget,e,t)}>
        Pin
      </button>
      ${o("Copy as shell script",s=>$t(a,s.currentTarget))}
      ${o("Copy as Python",s=>$t(Gt(t,e,n),s.currentTarget))}
      <button type="button" class="link" onClick=${r}>Clear</button>
    </p>
    <details class="code">
      <summary>Shell script</summary>
      <pre tabindex="0">${a}</pre>
    </details>`}async function sn(e){return(await Promise.all(e.tools.map(Z))).map(n=>{let r=e.values?.[n.name],a=r&&Object.fromEntries(new URLSearchParams(r));return{...ht(n,a),isNew:!0}})}async function an(){let{hash:e,searchParams:t}=new URL(location.href),{start:n,...r}=Object.fromEntries(t);if(n)return[ht(await Z(n),Object.keys(r).length?r:void 0)];if(e.startsWith("#c="))return Qe(JSON.parse(await Ye(e.slice(3))))}var re=(e,t)=>e.map((n,r)=>{let a=Object.entries(n.from).map(([o,s])=>[o,{...s,step:t(s.step)}]).filter(([,o])=>o.step>=0&&o.step<r);return{...n,from:Object.fromEntries(a)}});function ln(e,t,n){let r=[...e];return[r[t],r[t+n]]=[r[t+n],r[t]],Ze(`Step ${t+1} is now step ${t+n+1}`),re(r,a=>a===t?t+n:a===t+n?t:a)}function un(e,t){let n=e.filter((r,a)=>a!==t);return re(n,r=>r===t?-1:r>t?r-1:r)}function _n({i:e,step:t,tools:n,result:r,last:a,change:o,move:s,remove:i,run:_}){let p=n[e],[l,f]=O(!1),h=c=>c.name in t.from||Object.keys(t.values).some(m=>m.split(".")[0]===c.name),u=p.input.filter(c=>c.required||h(c)||l&&!c.alias),g=p.input.filter(c=>!c.alias&&!u.includes(c)).length,d=c=>(r?.fieldErrors??[]).filter(m=>m.path.split(".")[0]===c).map(m=>m.detail).join("; ");return $`<section class="step" aria-label=${`Step ${e+1}: ${p.title}`}>
    <h2>
      <span class="count">${e+1}</span>
      <a href=${`/t/${p.name}?${new URLSearchParams(t.values)}`}>${p.title}</a>
      <span class="acts"
        ><button
          type="button"
          class="small"
          disabled=${e===0}
          aria-label=${`Move step ${e+1} up`}
          onClick=${()=>s(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="small"
          disabled=${e===a}
          aria-label=${`Move step ${e+1} down`}
          onClick=${()=>s(1)}
        >
          ↓
        </button>
        <button type="button" class="small" aria-label=${`Remove step ${e+1}`} onClick=${i}>
          ✕
        </button></span
      >
    </h2>
    <div class="cols">
      <div>
        ${u.map(c=>$`<${Yt}
              key=${c.name}
              f=${c}
              id=${`s${e}-${c.name}`}
              step=${t}
              offers=${Ke(n,e,c)}
              change=${o}
              fieldError=${d(c.name)}
            />`)}
        ${g>0&&$`<button type="button" class="link" onClick=${()=>f(!0)}>More options (${g})</button>`}
      </div>
      <div role="group" aria-label=${`Result of step ${e+1}`}>
        <${ee} tool=${p} result=${r} run=${_} />
      </div>
    </div>
  </section>`}function cn({steps:e,tools:t,add:n}){let a=[...new Set(t.flatMap(l=>(l.feeds??[]).map(f=>f.tool)))].filter(l=>!e.some(f=>f.tool===l)),[o,s]=O(""),i=o||a[0]||Y[0].name,_=[...new Set(Y.map(l=>l.category))],p=(l,f)=>$`<option value=${l}>${f}</option>`;return $`<form
    class="inline"
    onSubmit=${l=>{l.preventDefault(),s(""),n(i)}}
  >
    <label
      >${e.length?"Next step":"First step"}<select
        value=${i}
        onChange=${l=>s(l.target.value)}
      >
        ${a.length>0&&$`<optgroup label="Takes values from this chain">
            ${a.map(l=>p(l,Y.find(f=>f.name===l)?.title??l))}
          </optgroup>`}
        ${_.map(l=>$`<optgroup label=${l}>
              ${Y.filter(f=>f.category===l&&!a.includes(f.name)).map(f=>p(f.name,f.title))}
            </optgroup>`)}
      </select></label
    ><button>Add</button>
  </form>`}Wt($`<${nn} />`,document.getElementById("chain"));
