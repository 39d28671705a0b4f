import{m as a,n as b,o as c}from"./chunk-HUEMUBKJ.js";export{c as failure,a as go,b as runHash};
