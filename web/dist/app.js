import{l as a,m as b,n as c}from"./chunk-ZMD7FRVT.js";export{c as failure,a as go,b as runHash};
