import{a,b}from"./chunk-7UQUEEXU.js";import"./chunk-BRXOGX4I.js";import"./chunk-QV7TODAS.js";export{b as draw,a as markOf};
