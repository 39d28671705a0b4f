import{m as a,n as b,o as c}from"./chunk-Y5KH62RG.js";export{c as failure,a as go,b as runHash};
