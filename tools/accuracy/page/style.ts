/** Lines differ in colour and in dashes. */
const lights = ['#1f5fa8', '#c2560b', '#2c7a4b', '#7a4aa3', '#0d7680', '#b0304a', '#7a5c14', '#555d66']
const darks = ['#79b3f2', '#f2a15f', '#74c995', '#c3a0ea', '#5fc9d3', '#f28ba0', '#d9bd6a', '#b3bcc6']
const dashes = ['none', 'none', '7 3', '2 3', '9 3 2 3', '5 5', '12 4', '1 4']

const series = (colours: readonly string[]) => colours.map((colour, i) => `--series-${i}:${colour}`).join(';')

export const style = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b2027;--soft:#5a6470;--rule:#d9dee4;--accent:#1f5fa8;--bad:#a32136;${series(lights)}}
@media(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2026;--text:#e6e9ed;--soft:#a0aab5;--rule:#343b44;--accent:#79b3f2;--bad:#f28ba0;${series(darks)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:36px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:1.3rem;margin:0 0 8px}
h3{font-size:1.05rem;margin:28px 0 8px}
p{max-width:72ch;margin:8px 0 14px}
a{color:var(--accent)}
.soft,.note,.counts{color:var(--soft)}
.note{font-size:.875rem}
nav ul{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;padding:0;margin:18px 0}
section{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:22px 24px;margin:0 0 20px}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px 24px;margin:0}
dl.facts dt{color:var(--soft);font-size:.85rem}
dl.facts dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
dl.key dd{font-size:1.5rem;line-height:1.3}
dl.key dd small{display:block;font-size:.8rem;line-height:1.45;color:var(--soft)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:20px 28px;align-items:start}
figure{margin:0 0 8px;min-width:0}
figure>svg{display:block;width:100%;height:auto}
figcaption{font-size:.9rem;overflow-wrap:anywhere}
.counts{white-space:normal}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 5px 0 8px}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:6px 0 0;padding:0;font-size:.85rem;overflow-wrap:anywhere}
.legend svg{width:28px;height:8px;margin-right:7px;vertical-align:middle}
svg text{fill:var(--soft);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
svg .label{fill:var(--text);font-weight:600}
.grid{stroke:var(--rule);fill:none}
.axis{stroke:var(--soft);stroke-width:1.5;fill:none}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.area{fill-opacity:.28;stroke-width:1.5}
.threshold{stroke:var(--text);stroke-width:1.5;stroke-dasharray:4 3}
.mark{fill:var(--card);stroke:var(--text);stroke-width:2}
${lights
  .map(
    (_, i) =>
      `.line.series-${i}{stroke:var(--series-${i});stroke-dasharray:${dashes[i]}}.area.series-${i}{fill:var(--series-${i});stroke:var(--series-${i})}span.series-${i}{background:var(--series-${i})}`,
  )
  .join('\n')}
.line.series-0{stroke-width:3}
.wide{overflow-x:auto;margin:18px 0 6px}
.wide:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;font-size:.95rem;padding-bottom:6px}
th,td{padding:5px 12px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{font-weight:400}
.number{text-align:right;white-space:nowrap}
thead .number{white-space:normal}
th:last-child,td:last-child{padding-right:0}
.file{display:inline-flex;flex-direction:column;gap:4px;margin:0 14px 4px 0;vertical-align:top;max-width:340px;overflow-wrap:anywhere}
.file img{height:96px;width:auto;max-width:150px;object-fit:cover;align-self:flex-start;border-radius:6px;background:var(--rule)}
footer{padding-bottom:40px;font-size:.875rem}
@media(max-width:640px){svg text{font-size:15px}main,header,footer{padding-left:12px;padding-right:12px}section{padding:16px 14px}h1{font-size:1.45rem}}
@media print{body{background:#fff}section{break-inside:auto;border:0;padding:0}.wide{overflow:visible}figure,tr{break-inside:avoid}}
`
