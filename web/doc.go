// Package web makes the page for people: templates, static modules and vendored libraries, all
// embedded, fed by the catalog's metadata. A new tool needs no line here. It answers no requests
// itself; api mounts it (api/page.go).
//
// # On the server
//
// Site holds everything and is made once. view.go turns a tool's schema into Fields with their
// labels, label.go makes the help lines, and pictures.go decides which pictures a tool has. form.go
// reads a posted form or a query into the tool's JSON, quantity.go the numbers in it ("4k7"),
// result.go shows a result. So every page works as a plain form without JavaScript. worked.go sends
// the answer of an example along with its page. assets.go packs the static files, gives them
// addresses that change with their content, finds the files that a page preloads, and makes the
// policy.
//
// A page is a template in templates/ that defines "main" inside layout.html, a line in pages and
// a method of Site; its values for the browser go into layout.Data, which stands in the page as
// JSON under the id "data".
//
// # In the browser
//
// Native modules in static/ are what is written. What pages load is made of them by web/merge
// (go generate ./web; a test compares): static/merged, a few files for a page, so that they come in
// one round trip; what is needed later is fetched by import(). No module sets HTML from a string:
// the policy (Site.Policy) forbids it, as it forbids inline scripts and styles but our own, which it
// names by their hashes. The modules meant to be built on:
//
//	shell.js       on every page: colour scheme, keyboard, say (screen readers), copy, download, colour
//	run.js         ask, compute, sweep; Trouble says what happened and what to do
//	job.js         runJob, followJob, cancelJob for heavy tools, by server-sent events or, where
//	               these are held back, by looking; job_status.js shows progress and cancel
//	form.js        Form reads and fills a form and shows mistakes; readValues and formPath without one
//	solve.js       inputs that determine each other (Spec.Solves): the last typed win
//	quantity.js    readQuantity and show: numbers with prefixes and units; units.js is the table;
//	               carried writes a number for a field, a link or a script
//	result.js      drawResult, Table, drawTrouble; drawStale says that a result is not the form's
//	plot.js        plot: uPlot in our colours, cursor by keys, CSV, PNG, SVG, table; sync shares a cursor
//	cursors.js     Cursors A and B of plots, which also stand between points; cursor_plots.js draws
//	               a tool's plots with them
//	pictures.js    draws the pictures of a tool whose values are in a result; a picture is one module
//	batch.js       the panel for batches, fetched when it is opened; batch_fields.js says what may be
//	               varied and collected, batch_result.js draws what was found
//	share.js       pack and unpack for links behind #, linkFor, shareBox
//	store.js       recall and remember
//
// vendor/ui.js is Preact with its hooks and htm (html), vendor/plot.js is uPlot, vendor/editor.js
// the parts of CodeMirror 6, to be mounted in a shadow root, where it adopts its style sheets.
// "go generate ./web" makes them; a test compares the hashes in VENDOR.md.
//
// app.css is on every page, print.css on paper; tool.css, heat.css, batch.css, catalog.css, chain.css,
// reference.css, spice.css and board.css belong to pages of their kind. What a page needs of them
// stands in the page itself (sheets in web/merge), as theme.js does: nothing else is fetched before
// the first paint.
// Colours of forced schemes stand in app.css.
//
// gallery/ holds a picture of each example of /spice and /board; "go generate ./web" draws them
// with the tools themselves (web/gallery), gallery.js shows them when the examples are opened.
//
// stored/ holds results of examples, made by the same command: /spice and /board show them on arrival,
// and the first page has the Bode plot of one (stored.go). conclusions.go has the sentences that
// state what a result means.
//
// /spice is spice_page.go, templates/spice.html and the modules spice*.js.
//
// /board is board_page.go, templates/board.html and board.css. board.js reads the circuit and follows
// the job; with the first board come board_result.js, board_shapes.js (the drawing), board_view.js
// (side, zoom, lit net), board_controls.js (buttons, keys, pointer), board_lists.js, board_files.js and
// board_legend.js (the legend as its Gerber file has it). board_keep.js lets the next board take over
// the placement of this one.
package web
