var y,Mt,Yt,O,nt,I,Ht,F,Rt,lt,ot,Zt,A=Symbol.for("pv"),B={},z=[],te=/^m(i|n|o|s|text|space)$/,it=Array.isArray,_t=z.slice,H=Object.assign;function M(e){e&&e.parentNode&&e.remove()}function ee(e,t,n){var r,s,o,a={},i=arguments.length;for(o in t)o=="key"?r=t[o]:o=="ref"&&typeof e!="function"?s=t[o]:a[o]=t[o];return i>2&&(a.children=i>3?_t.call(arguments,2):n),R(e,a,r,s,null)}function R(e,t,n,r,s){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:A,__v:s||++Mt,__i:-1,__u:0};return!s&&y.vnode&&y.vnode(o),o}function G(e){return e.children}function J(e,t){this.props=e,this.context=t,this.__g=0}function T(e,t){if(t==null)return e.__&&T(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:T(e)}function ne(e){var t,n=e.__v,r=n.__e,s=[],o=[],a=e.__P;a&&((t=H({constructor:A},n)).__v=n.__v+1,y.vnode&&y.vnode(t),ut(a,t,n,e.__n,a.namespaceURI,32&n.__u?[r]:null,s,r||T(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,Ft(s,t,o),n.__=n.__e=null,t.__e!=r&&Et(t))}function Et(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),Et(e)}function bt(e){(8&e.__g||(e.__g|=8,O.push(e),I++))&&nt==y.debounceRendering||((nt=y.debounceRendering)||queueMicrotask)(Ut)}function Ut(){try{for(var e,t=1;O.length;)O.length>t&&O.sort(Ht),e=O.shift(),t=O.length,8&e.__g&&ne(e)}finally{(I=O.length)&&(nt||queueMicrotask)(Ut)}}function At(e,t,n,r,s,o,a,i,u,m,_){var f,c,l,g,h,d,p=r.__k||z,$=t.length;for(u=oe(n,t,p,u,$),f=0;f<$;f++)(l=n.__k[f])!=null&&(c=~l.__i&&p[l.__i]||B,l.__i=f,d=ut(e,l,c,s,o,a,i,u,m,_),g=l.__e,(c.ref!=l.ref||8&c.__u)&&(c.ref&&ct(c.ref,null,l,c),l.ref&&_.push(l.ref,l.__c||g,l)),h=h||g,4&l.__u?(u=Wt(l,u,e,!c.__v),c.__e&&(c.__e=null)):typeof l.type=="function"&&d!==void 0?u=d:g&&(u=g.nextSibling),l.__u&=-21);return n.__e=h,u}function oe(e,t,n,r,s){var o,a,i,u,m,_,f,c,l,g=n.length,h=g,d=0,p=0,$=e.__k=Array(s);for(o=0;o<s;o++)(a=t[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=$[o]=R(null,a):it(a)?a=$[o]=R(G,{children:a}):a.constructor===A&&a.__b?a=$[o]=R(a.type,a.props,a.key,a.ref,a.__v):$[o]=a,u=o+d,a.__=e,a.__b=e.__b+1,i=null,~(m=a.__i=re(a,n,u,h))&&(h--,(i=n[m])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,m==u-1?d--:m==u+1?d++:m!=u&&(m>u?d--:d++,p=1)):(~m||(s>g?d--:s<g&&d++),typeof a.type!="function"&&(a.__u|=4))):$[o]=null;if(p){for(_=[],f=[],o=0;o<s;o++)if((a=$[o])&&16&a.__u){for(d=0,c=_.length;d<c;)_[l=d+c>>1]<a.__i?d=l+1:c=l;_[d]=a.__i,f[o]=d+1}for(d=_.length;o--;)f[o]&&(f[o]==d?d--:$[o].__u|=4)}if(h)for(o=0;o<g;o++)!(i=n[o])||2&i.__u||(i.__e==r&&(r=T(i)),pt(i,i));return r}function Wt(e,t,n,r){var s,o,a,i;if(typeof e.type=="function"){if(e.props.__P)return t;if(s=e.__k)for(o=0;o<s.length;o++)s[o]&&(s[o].__=e,t=Wt(s[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=T(e))&&!t.parentNode&&(t=null),a=e.__e,i=t;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!r&&n.moveBefore&&a.parentNode?n.moveBefore(a,t):n.insertBefore(a,t||null)),t=a;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function re(e,t,n,r){var s,o=e.key,a=e.type,i=t[n],u=i&&!(2&i.__u);if(i===null&&o==null||u&&o==i.key&&a==i.type)return n;if(r>(u?1:0)){for(s=n-1;s>=0;s--)if((i=t[s])&&!(2&i.__u)&&o==i.key&&a==i.type)return s;for(s=n+1;s<t.length;s++)if((i=t[s])&&!(2&i.__u)&&o==i.key&&a==i.type)return s}return-1}function kt(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function D(e,t,n,r,s){var o,a;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||kt(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||kt(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(a=ot[t]||(ot[t]=se(t)),(e.__a||(e.__a={}))[t]=lt,o=t!=(t=t.replace(Rt,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,a,o):e.removeEventListener(t,a,o));else{if(s=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function se(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[F]==null)t[F]=lt++;else if(t[F]<this.__a[e])return;return n(y.event?y.event(t):t)}}}function ut(e,t,n,r,s,o,a,i,u,m){var _,f,c,l,g,h,d,p,$,S,b,tt,gt,W,j,yt,N,q,C=t.type;if(t.constructor!==A)return null;128&n.__u&&(u=32&n.__u,_=n.__c.__z)&&(t.__u|=u,f=o=[],_.nodeType==8?i=L(_,o):o.push(_),i=o[0]||i),(_=y.__b)&&_(t);t:if(typeof C=="function"){c=a.length;try{if(p=t.props,$=(_=C.prototype)&&_.render,S=(_=C.contextType)&&r[_.__c],b=_?S?S.props.value:_.__:r,(l=n.__c)?(t.__c=l,2&l.__g&&(l.__g|=1)):($?t.__c=l=new C(p,b):(t.__c=l=new J(p,b),l.constructor=C,l.render=le),S&&S.sub(l),l.state||(l.state={}),l.__n=r,l.__g|=8,l.__h=[],l.__k=[]),$&&(l.__s||(l.__s=l.state),C.getDerivedStateFromProps&&(l.__s==l.state&&(l.__s=H({},l.__s)),H(l.__s,C.getDerivedStateFromProps(p,l.__s)))),g=l.props,h=l.state,l.__v=t,n.__c){if(p!==g&&$&&!C.getDerivedStateFromProps&&l.componentWillReceiveProps&&l.componentWillReceiveProps(p,b),t.__v==n.__v&&!(8&l.__g)||!(4&l.__g)&&l.shouldComponentUpdate&&l.shouldComponentUpdate(p,l.__s,b)===!1){t.__v!=n.__v&&(l.props=p,l.state=l.__s,l.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(x){x&&(x.__=t)}),z.push.apply(l.__h,l.__k),l.__k=[],l.__h.length&&a.push(l),i=T(n);break t}l.componentWillUpdate&&l.componentWillUpdate(p,l.__s,b),$&&l.componentDidUpdate&&l.__h.push(function(){l.componentDidUpdate(g,h,d)})}else $&&!C.getDerivedStateFromProps&&l.componentWillMount&&l.componentWillMount(),$&&l.componentDidMount&&l.__h.push(l.componentDidMount);l.context=b,l.props=p,l.__P=e,l.__g&=-5,tt=y.__r,gt=$?25:0;do l.__g&=-9,tt&&tt(t),_=l.render(l.props,l.state=l.__s,l.context);while(8&l.__g&&++gt<25);$&&(z.push.apply(l.__h,l.__k),l.__k=[]),l.state=l.__s,l.getChildContext&&(r=H({},r,l.getChildContext())),$&&n.__c&&l.getSnapshotBeforeUpdate&&(d=l.getSnapshotBeforeUpdate(g,h)),W=_&&_.type===G&&_.key==null?_.props.children:_,p.__P&&(_=i,s=(e=p.__P).namespaceURI,u=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(x){x&&pt(x,x)}),n.__k=null),i=n.__k?T(n,0):null),i=At(e,it(W)?W:[W],t,n,r,s,o,a,i,u,m),p.__P&&(t.__e=null,i=_),t.__u&=-161,f&&f.some(M),l.__h.length&&a.push(l),1&l.__g&&(l.__g&=-4)}catch(x){if(a.length=c,t.__v=null,u||o)if(x&&x.then){if(t.__u|=128|u,o){for(~(N=o.indexOf(i||void 0))||(N=o.length);(q=o[N-1])&&q.nodeType==8;)N--;for(;N<o.length;N++)if(q=o[N])if(o[N]=null,j){if(q==yt)break}else{if(q.nodeType!=8)break;q.data.startsWith("$s")&&(yt=L(j=q))}}if(!j){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;j=i}(_=L(j=t.__c.__z||(t.__c.__z=j)))?(t.__e=j,i=_):t.__e=i,i=i&&i.nextSibling}else o&&o.some(M);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),x&&x.then||Dt(t),y.__e(x,t,n)}}else i=t.__e=ae(n.__e,t,n,r,s,o,a,u,m,e);return(_=y.diffed)&&_(t),i}function L(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function Dt(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Dt))}function Ft(e,t,n){for(var r=0;r<n.length;)ct(n[r++],n[r++],n[r++]);y.__c&&y.__c(t,e),e.some(function(s){try{e=s.__h,s.__h=[],e.some(function(o){o.call(s)})}catch(o){y.__e(o,s.__v)}})}function ae(e,t,n,r,s,o,a,i,u,m){var _,f,c,l,g,h,d,p,$=n.props||B,S=t.props,b=t.type;if(b=="svg"?s="http://www.w3.org/2000/svg":b=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),o){for(_=0;_<o.length;_++)if((g=o[_])&&(b?g.localName==b:g.nodeType==3)){e=g,o[_]=null;break}}if(!e){if(p=m.ownerDocument||document,!b)return p.createTextNode(S);e=p.createElementNS(s,b,S.is?S:m),i&&(y.__m&&y.__m(t,o),i=!1),o=null}if(b){if(m=b=="template"&&e.content||e,o=b=="textarea"&&S.defaultValue!=null?null:o&&_t.call(m.childNodes),!i&&o)for($={},_=0;_<e.attributes.length;_++)$[(g=e.attributes[_]).name]=g.value;for(_ in $)g=$[_],_=="dangerouslySetInnerHTML"?c=g:_=="children"||_ in S||_=="value"&&"defaultValue"in S||_=="checked"&&"defaultChecked"in S||D(e,_,null,g,s);for(_ in S)g=S[_],_=="children"?l=g:_=="dangerouslySetInnerHTML"?f=g:_=="value"?h=g:_=="checked"?d=g:i&&typeof g!="function"||$[_]===g||D(e,_,g,$[_],s);f?(i||c&&(f.__html==c.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):(c&&(e.textContent=""),(b=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&te.test(b))&&(s="http://www.w3.org/1999/xhtml"),At(m,it(l)?l:[l],t,n,r,s,o,a,o?o[0]:n.__k&&T(n,0),i,u),o&&o.some(M)),i&&b!="textarea"||(_="value",b=="progress"&&h==null?e.removeAttribute(_):h==null||h===e[_]&&(b!="progress"||h)||D(e,_,h,$[_],s),_="checked",d!=null&&d!=e[_]&&D(e,_,d,$[_],s))}else $===S||i&&e.data==S||(e.data=S);return e}function ct(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(s){y.__e(s,n)}}function pt(e,t,n){var r,s,o,a;if(y.unmount&&y.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||ct(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(i){y.__e(i,t)}r.__P=r.__n=null}if(r=e.__k)for(a=0;a<r.length;a++)r[a]&&pt(r[a],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(s=L(r,o=[]))&&(r==e.__e&&o.some(M),M(s),M(r)),n||M(e.__e),e.__e=e.__c=e.__=null}function le(e,t,n){return this.constructor(e,n)}function Jt(e,t){var n,r,s,o;y.__&&y.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=R(G,{children:[e]}),s=[],o=[],ut(t,t.__k,r||B,B,t.namespaceURI,r?null:t.firstChild?_t.call(t.childNodes):null,s,r?r.__e:t.firstChild,n,o),Ft(s,t.__k,o),t.__k.props.children=null}y={__e:function(e,t,n,r){for(var s,o,a;t=t.__;)if((s=t.__c)&&!(1&s.__g)){s.__g|=4;try{if((a=(o=s.constructor)&&o.getDerivedStateFromError)&&s.setState(o.getDerivedStateFromError(e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),a=1),a&&8&s.__g)return void(s.__g|=2)}catch(i){e=i}}throw I=0,e}},Mt=0,Yt=function(e){return e!=null&&e.constructor===A},J.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=H({},this.state)),typeof e=="function"&&(e=e(H({},n),this.props)),e&&(H(n,e),this.__v&&(t&&this.__k.push(t),bt(this)))},J.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),bt(this))},J.prototype.render=G,O=[],I=0,Ht=function(e,t){return e.__v.__b-t.__v.__b},F=Symbol(),Rt=/(PointerCapture)$|Capture$/i,lt=0,ot={},Zt=0;var U,w,et,wt,rt=Object.is,V=0,Lt=[],st=[],k=y,St=k.__b,xt=k.__r,Ct=k.diffed,Nt=k.__c,Ot=k.unmount,Tt=k.__;function ft(e,t){k.__h&&k.__h(w,e,V||t),V=0;var n=w.__H||(w.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function P(e){return V=1,ie(Bt,e)}function ie(e,t,n){var r=ft(U++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):Bt(void 0,t),function(o){var a=(r.__N||r.__)[0],i=r.t(a,o);rt(a,i)||(r.__N=[i,r.__[1]],r.__c.setState({}))}],r.__c=w,!w.__f)){w.__f=!0;var s=w.shouldComponentUpdate;w.shouldComponentUpdate=function(o,a,i){var u=this.__H;if(!u)return!0;var m=!1,_=this.props!=o;if(u.__.some(function(c){c.__N&&(m=!0,rt(c.__[0],c.__N[0])||(_=!0))}),s){var f=s.call(this,o,a,i);return m?f||_:f}return!m||_}}return r.__}function K(e,t){var n=ft(U++,3);!k.__s&&It(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,w.__H.__h.push(n))}function mt(e){return V=5,_e(function(){return{current:e}},[])}function _e(e,t){var n=ft(U++,7);return It(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function ue(){var e;do{for(;e=st.shift();)try{E(e)}catch(n){k.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Lt.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(E),t.__h.some(at),t.__h=[]}catch(n){t.__h=[],k.__e(n,e.__v)}}}while(st.length)}k.__b=function(e){w=null,St&&St(e)},k.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Tt&&Tt(e,t)},k.__r=function(e){xt&&xt(e),U=0;var t=(w=e.__c).__H;t&&(et==w?w.__h=[]:(t.__h.some(E),t.__h.some(at),U=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),et=w},k.diffed=function(e){Ct&&Ct(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&jt(Lt.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),et=w=null},k.__c=function(e,t){t.some(function(n){try{n.__h.some(E),n.__h=n.__h.filter(function(r){return!r.__||at(r)})}catch(r){n.__h=[function(){throw r}]}}),Nt&&Nt(e,t)},k.unmount=function(e){Ot&&Ot(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}s.__P=n,jt(st.push(s))}else E(s)}catch(o){t=o}}),r.__H=void 0,t&&k.__e(t,r.__v))};var Pt=typeof requestAnimationFrame=="function";function ce(e){var t,n=function(){clearTimeout(r),Pt&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Pt&&(t=requestAnimationFrame(n))}function jt(e){e!=1&&wt==k.requestAnimationFrame||((wt=k.requestAnimationFrame)||ce)(ue)}function E(e){var t=w,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),w=t}function at(e){var t=w;e.__c=e.__(),w=t}function It(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!rt(n,e[r])})}function Bt(e,t){return typeof t=="function"?t(e):t}var zt=function(e,t,n,r){var s;t[0]=0;for(var o=1;o<t.length;o++){var a=t[o++],i=t[o]?(t[0]|=a?1:2,n[t[o++]]):t[++o];a===3?r[0]=i:a===4?r[1]=Object.assign(r[1]||{},i):a===5?(r[1]=r[1]||{})[t[++o]]=i:a===6?r[1][t[++o]]+=i+"":a?(s=e.apply(i,zt(e,i,n,["",null])),r.push(s),i[0]?t[0]|=2:(t[o-2]=0,t[o]=s)):r.push(i)}return r},qt=new Map;function pe(e){var t=qt.get(this);return t||(t=new Map,qt.set(this,t)),(t=zt(this,t.get(e)||(t.set(e,t=(function(n){for(var r,s,o=1,a="",i="",u=[0],m=function(c){o===1&&(c||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?u.push(0,c,a):o===3&&(c||a)?(u.push(3,c,a),o=2):o===2&&a==="..."&&c?u.push(4,c,0):o===2&&a&&!c?u.push(5,0,!0,a):o>=5&&((a||!c&&o===5)&&(u.push(o,0,a,s),o=6),c&&(u.push(o,c,0,s),o=6)),a=""},_=0;_<n.length;_++){_&&(o===1&&m(),m(_));for(var f=0;f<n[_].length;f++)r=n[_][f],o===1?r==="<"?(m(),u=[u],o=3):a+=r:o===4?a==="--"&&r===">"?(o=1,a=""):a=r+a[0]:i?r===i?i="":a+=r:r==='"'||r==="'"?i=r:r===">"?(m(),o=1):o&&(r==="="?(o=5,s=a,a=""):r==="/"&&(o<5||n[_][f+1]===">")?(m(),o===3&&(u=u[0]),o=u,(u=u[0]).push(2,0,o),o=0):r===" "||r==="	"||r===`
`||r==="\r"?(m(),o=2):a+=r),o===3&&a==="!--"&&(o=4,u=u[0])}return m(),u})(e)),t),arguments,[])).length>1?t:t[0]}var v=pe.bind(ee);import{checked as de,computeChain as $e,connect as ve,newStep as $t,pairsToRows as ge,request as ye,sources as be,toolOf as Y}from"./chain_model.js";import{brief as ke,choiceText as we,gap as Se,partsOf as xe,show as Ce,unitText as Z,withUnit as Ne}from"./form.js";import{conclude as Oe}from"./form.js";import{pack as Te,unpack as Pe}from"./share.js";import{copy as dt,announce as je}from"./shell.js";import{factorOf as fe,request as me}from"./chain_model.js";import{carried as he}from"./form.js";import{shellWord as Q}from"./snippets.js";function Vt(e,t,n,r){let{input:s}=me(e,t,n,r),o=Object.fromEntries(Object.entries(s).filter(([i])=>!(i in t[r].from))),a=Object.entries(t[r].from).map(([i,u])=>{let m=n[u.step],_=m?.envelope&&u.name in m.envelope.result,f=he(fe(e,r,e[r].input.find(c=>c.name===i),u));return{name:i,step:u.step,source:u.name,side:_?"result":"input",factor:f}});return{own:o,taken:a}}function ht(e,t,n){let r=["#!/bin/sh","# Needs curl and jq.","set -eu",`base=${Q(location.origin)}`,""];return t.forEach((s,o)=>{let{own:a,taken:i}=Vt(e,t,n,o),u=o+1;r.push(`# ${u}. ${e[o].title}`,`in${u}=${Q(JSON.stringify(a))}`);for(let m of i){let _=m.side==="result"?`"$out${m.step+1}"`:`"$in${m.step+1}"`,f=m.side==="result"?`.result[${JSON.stringify(m.source)}]`:`.[${JSON.stringify(m.source)}]`;r.push(`in${u}=$(printf '%s' "$in${u}" | jq -c --argjson v "$(printf '%s' ${_} | jq ${Q(f)})" ${Q(`.[${JSON.stringify(m.name)}] = $v${m.factor==="1"?"":` * ${m.factor}`}`)})`)}r.push(`out${u}=$(printf '%s' "$in${u}" | curl -sS --fail-with-body -H 'Content-Type: application/json' --data-binary @- "$base/api/${s.tool}")`,`printf '%s\\n' "$out${u}" | jq .result`,"")}),r.join(`
`)}function Gt(e,t,n){let r=["import json","import urllib.request","",`BASE = ${JSON.stringify(location.origin)}`,"","","def compute(tool, body):","    request = urllib.request.Request(",'        f"{BASE}/api/{tool}", json.dumps(body).encode(), {"Content-Type": "application/json"}',"    )","    with urllib.request.urlopen(request) as answer:",'        return json.load(answer)["result"]',"",""];return t.forEach((s,o)=>{let{own:a,taken:i}=Vt(e,t,n,o),u=o+1;r.push(`# ${u}. ${e[o].title}`,`in${u} = json.loads(${JSON.stringify(JSON.stringify(a))})`);for(let m of i)r.push(`in${u}[${JSON.stringify(m.name)}] = ${m.side==="result"?"out":"in"}${m.step+1}[${JSON.stringify(m.source)}]${m.factor==="1"?"":` * ${m.factor}`}`);r.push(`out${u} = compute(${JSON.stringify(s.tool)}, in${u})`,`print(json.dumps(out${u}, indent=2))`,"")}),r.join(`
`)}var{tools:X,examples:Kt}=JSON.parse(document.getElementById("data").textContent),vt=e=>["quantity","literal","text","choice","switch"].includes(e.kind);function qe(){let[e,t]=P([]),[n,r]=P([]),[s,o]=P([]),[a,i]=P(""),u=mt(new Set),[m,_]=P(0),f=async h=>{try{let d=await Promise.all(h.map(p=>Y(p.tool)));h.forEach((p,$)=>{p.fresh&&(delete p.fresh,ve(d,h,$))}),r(d),t(h),o(p=>p.slice(0,h.length)),i("")}catch(d){i(`${d.message}. ${d.advice??""}`)}};K(()=>{He(f,i).then(h=>h||g(Kt[0]))},[]),K(()=>{if(!e.length||n.length!==e.length)return;let h=new AbortController,d=setTimeout(()=>{$e(n,e,{signal:h.signal,heavy:(p,$)=>u.current.has($),onStep:o}).catch(()=>{}),Te(JSON.stringify(e)).then(p=>history.replaceState(null,"",`/chain#c=${p}`))},120);return()=>{clearTimeout(d),h.abort()}},[e,n,m]);let c=(h,d)=>f(e.map((p,$)=>$===h?d({...p,values:{...p.values},from:{...p.from}}):p)),l=async h=>f([...e,{...$t(await Y(h)),fresh:!0}]),g=async h=>{let d=await Promise.all(h.tools.map(Y));o([]),await f(d.map(p=>({...$t(p,h.values?.[p.name]&&Object.fromEntries(new URLSearchParams(h.values[p.name]))),fresh:!0})))};return v`<div>
    <p class="chips">
      <span class="lbl">Examples</span
      >${Kt.map(h=>v`<button type="button" class="chip" onClick=${()=>g(h)}>${h.title}</button>`)}
    </p>
    ${a&&v`<p class="problem" role="alert">${a}</p>`}
    ${e.map((h,d)=>n[d]&&v`<${Ue}
          key=${`${d}.${h.tool}`}
          i=${d}
          step=${h}
          tools=${n}
          result=${s[d]}
          last=${e.length-1}
          change=${p=>c(d,p)}
          move=${p=>f(Re(e,d,p))}
          drop=${()=>f(Ee(e,d))}
          run=${p=>{u.current.add(p),_(m+1)}}
          requestOf=${()=>Me(n,e,s,d)}
        />`)}
    <${ze} steps=${e} tools=${n} add=${l} />
    ${e.length>0&&v`<p class="picker">
          <button type="button" onClick=${h=>dt(location.href,h.currentTarget)}>
            Copy link
          </button>
          <button
            type="button"
            id="pin"
            onClick=${({currentTarget:h})=>import("./notebook_store.js").then(d=>d.pinFrom(h,()=>({tool:e[0].tool,title:n.map(p=>p.title).join(", "),request:{},steps:e})))}
          >
            Pin
          </button>
          <button
            type="button"
            onClick=${h=>dt(ht(n,e,s),h.currentTarget)}
          >
            Copy as shell script
          </button>
          <button
            type="button"
            onClick=${h=>dt(Gt(n,e,s),h.currentTarget)}
          >
            Copy as Python
          </button>
          <button
            type="button"
            class="link"
            onClick=${()=>{history.replaceState(null,"","/chain"),f([])}}
          >
            Clear
          </button>
        </p>
        <details class="code">
          <summary>Shell script</summary>
          <pre tabindex="0">${ht(n,e,s)}</pre>
        </details>`}
  </div>`}var Me=(e,t,n,r)=>ye(e,t,n,r).json;async function He(e,t){let{hash:n,searchParams:r}=new URL(location.href);try{if(!n.startsWith("#c=")&&!r.has("start"))return!1;let{start:s,...o}=Object.fromEntries(r);s?await e([$t(await Y(s),Object.keys(o).length?o:void 0)]):await e(de(JSON.parse(await Pe(n.slice(3)))))}catch{t("The link is damaged: it holds no chain that can be read. Ask for it again, or start from an example.")}return!0}var Xt=(e,t)=>e.map((n,r)=>({...n,from:Object.fromEntries(Object.entries(n.from).map(([s,o])=>[s,{...o,step:t(o.step)}]).filter(([,s])=>s.step>=0&&s.step<r))}));function Re(e,t,n){let r=[...e];return[r[t],r[t+n]]=[r[t+n],r[t]],je(`Step ${t+1} is now step ${t+n+1}`),Xt(r,s=>s===t?t+n:s===t+n?t:s)}var Ee=(e,t)=>Xt(e.filter((n,r)=>r!==t),n=>n===t?-1:n>t?n-1:n);function Ue({i:e,step:t,tools:n,result:r,last:s,change:o,move:a,drop:i,run:u,requestOf:m}){let _=n[e],[f,c]=P(!1),l=p=>p.name in t.from||Object.keys(t.values).some($=>$===p.name||$.startsWith(`${p.name}.`)),g=_.input.filter(p=>p.required||l(p)||f&&!p.alias),h=_.input.filter(p=>!p.alias&&!g.includes(p)).length,d=r?.mistakes??[];return v`<section class="step" aria-label=${`Step ${e+1}: ${_.title}`}>
    <h2>
      <span class="count">${e+1}</span>
      <a href=${`/t/${_.name}?${new URLSearchParams(t.values)}`}>${_.title}</a>
      <span class="acts"
        ><button
          type="button"
          class="small"
          disabled=${e===0}
          aria-label=${`Move step ${e+1} up`}
          onClick=${()=>a(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="small"
          disabled=${e===s}
          aria-label=${`Move step ${e+1} down`}
          onClick=${()=>a(1)}
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
        ${g.map(p=>v`<${Ae}
              key=${p.name}
              f=${p}
              id=${`s${e}-${p.name}`}
              step=${t}
              offers=${be(n,e,p)}
              change=${o}
              mistake=${d.filter($=>$.path.split(".")[0]===p.name).map($=>$.detail).join("; ")}
            />`)}
        ${h>0&&v`<button type="button" class="link" onClick=${()=>c(!0)}>More options (${h})</button>`}
      </div>
      <div role="group" aria-label=${`Result of step ${e+1}`}>
        <${Fe} tool=${_} result=${r} run=${()=>u(m())} />
      </div>
    </div>
  </section>`}function Ae({f:e,id:t,step:n,offers:r,change:s,mistake:o}){let a=n.from[e.name],i=f=>s(c=>(f===""?delete c.values[e.name]:c.values[e.name]=f,c)),u=f=>s(c=>(delete c.from[e.name],f!==""&&(c.from[e.name]={step:Number(f.split(".")[0]),name:f.slice(f.indexOf(".")+1)}),c)),m=!vt(e)&&!["numbers","words"].includes(e.kind),_=m&&!a;return v`<div
    class=${`in${o?" bad":""}${_?" rows-in":""}`}
    role=${_?"group":void 0}
    aria-label=${_?e.label:void 0}
  >
    <label for=${_?void 0:a?`${t}-from`:t} title=${e.doc}
      >${e.label}${!e.required&&v` <span class="opt">optional</span>`}</label
    >
    ${a?null:m?v`<${De} f=${e} id=${t} step=${n} change=${s} />`:e.options?v`<select
                id=${t}
                value=${n.values[e.name]===e.default?"":n.values[e.name]??""}
                onChange=${f=>i(f.target.value)}
              >
                ${e.options.map(f=>v`<option value=${f.value}>${f.text}</option>`)}
              </select>`:v`<span class="entry"
                ><input
                  id=${t}
                  class=${["quantity","literal"].includes(e.kind)?"num":void 0}
                  value=${n.values[e.name]??""}
                  placeholder=${e.default??""}
                  autocomplete="off"
                  spellcheck="false"
                  onInput=${f=>i(f.target.value)}
                  aria-invalid=${o?"true":void 0}
                />${Z(e.unit)&&v`<span class="unit">${Z(e.unit)}</span>`}</span
              >`}
    ${r.length>0&&v`<select
        id=${`${t}-from`}
        aria-label=${`${e.label} from`}
        value=${a?`${a.step}.${a.name}`:""}
        onChange=${f=>u(f.target.value)}
      >
        <option value="">typed here</option>
        ${r.map(f=>v`<option value=${`${f.step}.${f.name}`}>from ${f.label}</option>`)}
      </select>`}
    ${o&&v`<p class="mistake" role="alert">${o}</p>`}
  </div>`}var We=[{name:"name",label:"Name"},{name:"value",label:"Value"}];function De({f:e,id:t,step:n,change:r}){let s=e.kind==="pairs"?We:e.fields.filter(c=>vt(c)||c.kind==="numbers"||c.kind==="words"),o=c=>e.kind==="pairs"?ge({input:[e]},c):c,a=o({...n.values}),i=(c,l)=>`${e.name}.${c}.${l}`,u=[...new Set(Object.keys(a).filter(c=>c.startsWith(`${e.name}.`)).map(c=>Number(c.split(".")[1])))].sort((c,l)=>c-l),m=c=>r(l=>(l.values=o(l.values),c(l.values),l)),_=()=>m(c=>{c[i((u.at(-1)??-1)+1,s[0].name)]=""}),f=c=>m(l=>{for(let g of Object.keys(l))g.startsWith(`${e.name}.${c}.`)&&delete l[g]});return v`<ol class="rows">
      ${u.map(c=>v`<li class="row" key=${c}>
            ${s.map(l=>{let[g,h]=[i(c,l.name),a[i(c,l.name)]??""],d=p=>m($=>{$[g]=p.target.value});return v`<div class="field" key=${l.name}>
                <label for=${`${t}-${c}-${l.name}`} title=${l.doc}
                  >${l.label}${Z(l.unit)&&` [${Z(l.unit)}]`}</label
                >
                ${l.options?v`<select
                        id=${`${t}-${c}-${l.name}`}
                        value=${h===l.default?"":h}
                        onChange=${d}
                      >
                        ${l.options.map(p=>v`<option value=${p.value}>${p.text}</option>`)}
                      </select>`:v`<input
                        id=${`${t}-${c}-${l.name}`}
                        value=${h}
                        placeholder=${l.default??""}
                        autocomplete="off"
                        spellcheck="false"
                        onInput=${d}
                      />`}
              </div>`})}
            <button
              type="button"
              class="drop"
              aria-label=${`Remove row ${c+1} of ${e.label}`}
              onClick=${()=>f(c)}
            >
              ✕
            </button>
          </li>`)}
    </ol>
    <button type="button" class="small" onClick=${_}>Add a row</button>`}function Fe({tool:e,result:t,run:n}){if(!t)return v`<p class="empty">…</p>`;if(t.waiting)return v`<p class="empty">${t.waiting}</p>
      ${t.runnable&&v`<button type="button" class="main" onClick=${n}>Run</button>`}`;if(t.trouble&&!t.mistakes?.length)return v`<p class="problem"><b>${t.trouble.message}</b> ${t.trouble.advice}</p>`;if(!t.envelope)return v`<p class="empty">Not computed.</p>`;let r=e.output.filter(o=>vt(o)&&t.envelope.result[o.name]!==null&&t.envelope.result[o.name]!==void 0&&!(o.name in t.input)),s=Oe(e,t.envelope.result);return v`${s&&v`<p class=${`conclusion ${s.tone}`}>${s.text}</p>`}
  ${t.lines.map(o=>v`<p class="taken">takes ${o.field.label}${Le(o)} from step ${o.source.step+1}</p>`)}
  ${t.envelope.result.warnings?.map(o=>v`<p class="warnings"><span>${o}</span></p>`)}
  ${r.sort((o,a)=>Qt(e,a)-Qt(e,o)).slice(0,8).map(o=>v`<${Je}
          key=${o.name}
          f=${Ne(o,t.envelope.result)}
          v=${t.envelope.result[o.name]}
        />`)}
  ${t.envelope.result.vectors&&v`<${Be} tool=${e} result=${t.envelope.result} />`}`}function Je({f:e,v:t}){if(typeof t=="string"&&t.includes(`
`))return v`<div class="value text">
      <span class="name" title=${e.doc}>${e.label}</span>
      <pre tabindex="0" aria-label=${e.label}>${t}</pre>
    </div>`;let n=xe(e,typeof t=="number"?t:e.kind==="choice"?we(e,t):Ie(t));return typeof t=="number"&&(n.number=ke(e,n.number)),v`<div class="value">
    <span class="name" title=${e.doc}>${e.label}</span
    ><span class=${`number${typeof t=="string"&&t.length>24?" wordy":""}`}
      >${n.number}${Se(n.unit)}${n.unit&&v`<span class="u">${n.unit}</span>`}</span
    >
  </div>`}var Qt=(e,t)=>e.primary?.includes(t.name)?e.primary.length-e.primary.indexOf(t.name):0,Le=({field:e,value:t})=>typeof t=="number"?` = ${Ce(t,e.unit??"")}`:String(t).length>40||String(t).includes(`
`)?"":` = ${t}`,Ie=e=>({true:"yes",false:"no"})[e]??String(e);function Be({tool:e,result:t}){let n=mt();return K(()=>{let r,s=!1;return import("./picture_vectors.js").then(o=>{s||(r=o.draw(n.current,{tool:e,result:t}))}),()=>{s=!0,r?.()}},[t]),v`<div ref=${n}></div>`}function ze({steps:e,tools:t,add:n}){let r=[...new Set(t.flatMap(i=>(i.feeds??[]).map(u=>u.tool)))].filter(i=>!e.some(u=>u.tool===i)),[s,o]=P(""),a=s||r[0]||X[0].name;return v`<form
    class="inline"
    onSubmit=${i=>{i.preventDefault(),o(""),n(a)}}
  >
    <label
      >${e.length?"Next step":"First step"}<select
        value=${a}
        onChange=${i=>o(i.target.value)}
      >
        ${r.length>0&&v`<optgroup label="Takes values from this chain">${r.map(i=>v`<option value=${i}>${X.find(u=>u.name===i)?.title??i}</option>`)}</optgroup>`}
        ${[...new Set(X.map(i=>i.category))].map(i=>v`<optgroup label=${i}>${X.filter(u=>u.category===i&&!r.includes(u.name)).map(u=>v`<option value=${u.name}>${u.title}</option>`)}</optgroup>`)}
      </select></label
    ><button>Add</button>
  </form>`}Jt(v`<${qe} />`,document.getElementById("chain"));
