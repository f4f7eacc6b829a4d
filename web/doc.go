// Package web renders the HTML pages from the catalog's metadata. It contains templates, static
// modules and vendored libraries, all embedded. A new tool gets its page without a change here.
// api/page.go serves the pages.
//
// # On the server
//
// A process creates one Site. view.go converts a tool's schema to Fields with labels, label.go
// creates the help lines, and pictures.go selects the pictures of a tool. form.go converts a posted
// form or a query to the tool's JSON with package quantity ("4k7"). result.go renders a result, so
// every page works without JavaScript. worked.go adds the result of an example to its page. Package
// drawing contains the drawings of tools, and drawn.go provides their values. assets.go gives the
// static files URLs that change with their content, finds the files that a page preloads, and
// creates the Content-Security-Policy.
//
// A page consists of a template in templates/ that defines "main" inside layout.html, an entry in
// pages and a method of Site. Its values for the browser are in layout.Data, which the page
// contains as JSON with the id "data".
//
// # In the browser
//
// The source consists of native modules in static/. web/merge joins them into the files in
// static/merged, which pages load (go generate ./web; a test compares them). A page loads its few
// files in one round trip, and further files by import(). No module sets HTML from a string because
// the policy (Site.Policy) forbids it. The policy also forbids inline scripts and styles, except
// those of the service, which it allows by their hashes. The modules for general use are:
//
//	shell.js       on every page: colour scheme, keyboard, live region (announce), copy, download
//	run.js         requestJson, compute; ApiError is an error of the API with its remedy
//	job.js         runJob, followJob, cancelJob for queued tools: server-sent events, or polling
//	               where proxies buffer them; job_status.js shows progress and cancel
//	form.js        Form reads and fills a form and shows errors; readValues and formPath work
//	               without a Form
//	solve.js       inputs that determine each other (Spec.Solves): the last typed values remain
//	quantity.js    readQuantity and formatQuantity: numbers with prefixes and units; units.js is
//	               the table; shortestDecimal writes a number for a field, a link or a script
//	result.js      drawResult, drawTable, drawError; drawStale marks a result of earlier inputs;
//	               result_model.js selects and formats the values
//	drawing.js     values and focus of the drawing of a tool; drawing_file.js saves it
//	plot.js        plot: uPlot with the page's colours, cursor by keys; sync shares a cursor;
//	               plot_files.js makes SVG, PNG and table
//	align.js       puts curves with different x values on one axis
//	cursors.js     cursors A and B of plots, between points too; cursor_plots.js draws the plots
//	               of a tool with them
//	pictures.js    draws the pictures of a tool whose values are in a result; each is a module
//	batch.js       the panel for batches, loaded when it is opened. batch_fields.js lists the
//	               fields to vary and to collect, batch_form.js draws the form, batch_request.js
//	               reads it, and batch_run.js runs the batch. batch_result.js draws the results
//	               with batch_plots.js, batch_heat.js and batch_tables.js
//	share.js       pack and unpack for links behind #, linkFor, showShareDialog
//	store.js       settings and recent tools in the local storage
//	dom.js         h and svg create elements; smallButton, scrollBox, icon
//	tool_info.js   loadTool: the fields of a tool; text.js escapes texts for regular expressions
//	text_area.js   selectLine selects a line of a text area
//
// vendor/ui.js is Preact with its hooks and htm (html). vendor/plot.js is uPlot. vendor/editor.js
// consists of parts of CodeMirror 6; the editor is in a shadow root and adopts its style sheets
// there. "go generate ./web" builds these files; a test compares the hashes in VENDOR.md.
//
// app.css is on every page. Pages of their kind have tool.css, heat.css, catalog.css, chain.css,
// reference.css, spice.css and board.css. sketch.css is for drawings and schematics, and
// sweepbox.css for the folded panel of batches. print.css is on every page and applies to printed
// pages. The style sheets of a page (sheets in web/merge) and theme.js are inline, so the first
// paint needs no other file. The module batch.js loads batch.css. app.css also maps the colours to
// system colours for forced-colors mode.
//
// /chain (chain.js) passes results of tools to later steps. chain_model.js computes the steps,
// chain_input.js and chain_output.js draw them, and chain_export.js writes scripts.
//
// /notebook (notebook.js, notebook_item.js) shows pinned results as a report. notebook_store.js
// keeps them in the browser; pages with a Pin button load it when the button is pressed.
//
// gallery/ has a picture of each example of /spice and /board. "go generate ./web" draws them with
// the tools themselves (web/gallery); gallery.js shows them when the examples are opened.
//
// stored/ has results of examples, written by the same command (stored.go). /spice and /board show
// them initially. The home page has the Bode plot of one. conclusions.go has sentences on the
// meaning of results. card_image.go and package card draw the Open Graph images.
//
// /spice consists of spice_page.go, templates/spice.html and the modules spice*.js. spice.js runs
// the netlist. spice_shelves.js, spice_open.js, spice_actions.js and spice_panels.js add the
// controls of the page. The first result loads spice_scope.js, which draws the plots. In it,
// spice_vectors.js evaluates expressions (spice_expression.js), and spice_panes.js groups the
// curves. Beside them, spice_bode.js adds the figures of a Bode plot, and spice_marks.js marks
// measurements. spice_numbers.js shows the other results. spice_xy.js draws vectors over each
// other, spice_spectrum.js computes spectra and eye diagrams, and spice_spectrum_view.js draws
// them. spice_layout.js places the elements of a schematic; spice_schematic.js draws and edits it.
// Files are opened by spice_files.js: spice_asc.js converts LTspice schematics to netlists, and
// spice_raw.js reads waveform files. The curves of files are compared with those of a run by
// spice_differences.js. spice_csv.js saves all vectors, spice_pin.js pins a result,
// spice_analyses.js shows noise, poles and other numbers without curves, and spice_proofs.js shows
// certificates.
//
// /board consists of board_page.go, templates/board.html and board.css. board_form.js reads the
// circuit, and board.js follows the job. The first board loads board_result.js, board_lists.js and
// board_files.js. It also loads board_shapes.js (drawing), board_view.js (side, zoom, highlighted
// net), board_controls.js (buttons, keys, pointer) and board_legend.js (silkscreen as in its Gerber
// file). board_keep.js reuses the placement for the next board of the same circuit. board_3d.js
// draws the assembled board in WebGL on request. board_drag.js moves parts, and board_footprints.js
// suggests footprints for unknown parts. board_simulate.js converts a circuit to a netlist for
// /spice.
package web
