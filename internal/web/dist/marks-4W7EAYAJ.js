import{a,b}from"./chunk-HFA5AGLS.js";import"./chunk-DSF7Y25Y.js";import"./chunk-QV7TODAS.js";export{b as draw,a as markOf};
