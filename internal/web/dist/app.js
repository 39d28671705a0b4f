import{m as a,n as b,o as c}from"./chunk-C5HNDOJC.js";export{c as failure,a as go,b as runHash};
