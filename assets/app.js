// This script makes the pages more convenient; all of them work without it.

// The error summary, or an element marked for it, gets the focus. Otherwise the notice of what was
// just done gets it, because a screen reader doesn't announce a notice that the page began with. An
// address that leads to a part of the page, and a box that is to be filled in first, go before it.
const notice = location.hash || document.querySelector("[autofocus]") ? null : document.querySelector(".flash");
(document.querySelector("[data-focus]") ?? notice)?.focus();

// A button that this script adds after a box is named after the box as well, since a page may have
// several such buttons.
function nameButton(button, text, box) {
	const label = box.labels?.[0]?.textContent.trim() ?? box.getAttribute("aria-label") ?? "";
	button.textContent = text;
	if (label) button.setAttribute("aria-label", text + ": " + label);
}

// A value to copy gets a button that copies it.
for (const shown of document.querySelectorAll("[data-copy]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "second";
	nameButton(button, "Copy", shown);
	button.addEventListener("click", async () => {
		shown.select ? shown.select() : getSelection().selectAllChildren(shown);
		let done = "Copied";
		try {
			await navigator.clipboard.writeText(shown.value ?? shown.textContent);
			button.focus(); // the selection took the focus
		} catch {
			done = "Press Ctrl+C";
		}
		nameButton(button, done, shown);
		status.textContent = done;
	});
	shown.after(button);
}

// The key / moves the focus to the search box, which is in the menu on a narrow screen.
const find = document.querySelector("input[data-find]");
if (find) {
	find.form.querySelector("kbd")?.removeAttribute("hidden");
	document.addEventListener("keydown", (event) => {
		if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
		if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
		event.preventDefault();
		const menu = find.closest("[popover]");
		if (menu && !find.offsetParent) menu.showPopover();
		find.focus();
		find.select();
	});
}

// The menu of a narrow screen closes when the focus leaves it. Otherwise it would cover what has the focus.
const menu = document.querySelector("#menu");
menu?.addEventListener("focusout", ({ relatedTarget: next }) => {
	if (menu.hidePopover && next && !menu.contains(next) && !next.matches("button.menu") && menu.matches(":popover-open")) menu.hidePopover();
});

// The buttons that print the page need this script.
for (const button of document.querySelectorAll("button[data-print]")) {
	button.hidden = false;
	button.addEventListener("click", () => window.print());
}

// The PNG of a chart is drawn here, from its SVG, because the server has no fonts.
for (const button of document.querySelectorAll("button[data-png]")) {
	button.hidden = false;
	button.addEventListener("click", async () => {
		const state = button.parentElement.querySelector("[role=status]"), image = new Image();
		state.textContent = "";
		try {
			image.src = button.dataset.png;
			await image.decode();
			const canvas = document.createElement("canvas");
			[canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
			canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
			const file = await new Promise((done) => canvas.toBlob(done));
			const link = document.createElement("a");
			link.href = URL.createObjectURL(file);
			link.download = button.dataset.name;
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 10000);
		} catch {
			state.textContent = "The PNG could not be made. Reload the page and try again, or take the SVG.";
		}
	});
}

// The code of a link is in the fragment of the address, which no server sees. It is moved into
// its box and removed from the browser's history. A link that is opened in the same tab loads no
// page. A fragment that names an element of the page isn't a code.
const fragment = document.querySelector("input[data-fragment]");
function takeCode() {
	const code = location.hash.slice(1);
	if (!code || document.getElementById(code)) return;
	fragment.value = code;
	history.replaceState(null, "", location.pathname);
	fragment.form.querySelector("[data-go]")?.click(); // nothing else is asked here
}
if (fragment) {
	takeCode();
	window.addEventListener("hashchange", takeCode);
}

// The time zone of a new practice is most likely the browser's.
const zone = document.querySelector("input[data-zone]");
if (zone && !zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

// A password can be shown while it is typed.
for (const input of document.querySelectorAll("input[data-show]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "second";
	nameButton(button, "Show", input);
	button.setAttribute("aria-pressed", "false");
	button.addEventListener("click", () => {
		const shown = input.type === "text";
		input.type = shown ? "password" : "text";
		button.setAttribute("aria-pressed", String(!shown));
	});
	input.after(button);
	input.form.addEventListener("submit", () => { input.type = "password"; });
}

// While a value differs from the EHR's, the button that restores the EHR's value replaces its tag.
for (const field of document.querySelectorAll("[data-ehr]")) {
	const [tag, ...offer] = field.querySelectorAll("[id$='-source'] > :is(span, button)");
	const look = () => {
		const boxes = [...field.querySelectorAll("input, select")].filter((b) => b.checked || !/radio|checkbox/.test(b.type));
		const said = boxes.map((b) => b.value.trim()).filter(Boolean).sort().join(" ");
		tag.hidden = said !== field.dataset.ehr;
		for (const part of offer) part.hidden = !tag.hidden;
	};
	field.addEventListener("input", look);
	field.addEventListener("change", look);
}

// The form of a birth is saved after each field. If that fails, it is tried again; nothing is
// written to the browser's storage.
const draft = document.querySelector("form[data-draft]");
if (draft) {
	const state = document.querySelector("#draft-state");
	const box = (name) => draft.elements.namedItem(name);
	const typed = () => {
		const body = new URLSearchParams(new FormData(draft));
		for (const name of ["revision", "step", "author"]) body.delete(name);
		return body.toString();
	};
	let stored = typed(), timer, sending = false, stopped = false, leaving = false, troubled = false, pressed = false;
	const offline = "Offline: kept on this page, will be saved";
	let saved = state.textContent;
	// After a button was pressed in vain, this stays with whatever the form says, also if it was saved after all.
	const say = (text) => { state.textContent = pressed ? text.replace(/\.?$/, ". Press the button again once you are online.") : text; };
	const send = (keepalive) => {
		box("step").value = Number(box("step").value) + 1;
		const body = new URLSearchParams(new FormData(draft));
		body.set("do", "keep");
		return fetch(draft.action, { method: "POST", body, keepalive, redirect: "manual", headers: { Accept: "application/json" } });
	};
	const keep = async () => {
		clearTimeout(timer);
		const now = typed();
		if (sending || stopped || leaving || now === stored) return;
		sending = true;
		if (!troubled) state.textContent = "Saving";
		let why = offline;
		try {
			const answer = await send(false);
			why = "The registry cannot save at the moment: kept on this page, will be tried again";
			if (answer.status >= 500 || answer.status === 429) throw new Error();
			if (!answer.headers.get("Content-Type")?.startsWith("application/json")) { // a page, perhaps of a proxy or a network's sign-in
				troubled = true;
				timer = setTimeout(keep, 15000);
				state.textContent = "Not saved yet: kept on this page, will be tried again. To see why, press “Save as a draft and continue”.";
				return;
			}
			const kept = await answer.json();
			troubled = answer.status === 401;
			if (troubled) timer = setTimeout(keep, 15000); // it may be mended on another page
			const text = kept.text || "Not saved yet";
			if (!answer.ok) {
				state.textContent = text;
				stopped = !troubled;
				return;
			}
			stored = now;
			saved = text;
			say(saved);
			for (const line of draft.querySelectorAll("output")) {
				const read = kept.read?.[line.id.slice(0, -"-read".length)] ?? "";
				if (line.textContent !== read) line.textContent = read; // said aloud once
			}
			for (const link of document.querySelectorAll(".toc a")) {
				const word = link.querySelector("small"), far = kept.sections?.[link.hash.slice(1)];
				if (far) word.textContent = word.dataset.state = far;
			}
			if (!kept.path) return;
			box("revision").value = kept.revision;
			if (location.pathname !== kept.path) history.replaceState(null, "", kept.path);
			if (typed() !== stored) timer = setTimeout(keep, 300);
		} catch {
			troubled = true;
			say(why);
			timer = setTimeout(keep, 2000);
		} finally {
			sending = false;
		}
	};
	draft.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(keep, 500);
	});
	draft.addEventListener("change", keep);
	draft.addEventListener("submit", (event) => {
		if (navigator.onLine === false) { // the browser would replace the form by a page of its own
			event.preventDefault();
			event.stopImmediatePropagation();
			pressed = true;
			say(typed() === stored ? saved || "Offline" : offline);
			return;
		}
		pressed = false;
		clearTimeout(timer);
		leaving = true;
		box("step").value = Number(box("step").value) + 1;
	});
	addEventListener("online", keep);
	addEventListener("pagehide", () => {
		if (!stopped && !leaving && typed() !== stored) send(true).catch(() => {});
	});
	addEventListener("pageshow", (event) => {
		leaving = false;
		// If the page was reloaded before its last field was saved, it asks once whether it is outdated.
		const [way] = performance.getEntriesByType("navigation");
		if (event.persisted || !way || way.type === "navigate") return;
		setTimeout(async () => {
			if (typed() !== stored) return;
			const answer = await send(false).catch(() => null);
			if (answer?.status === 409 && typed() === stored) location.reload();
		}, 300);
	});
}

// A form is sent once, however often its button is pressed, unless its answer is a file and the
// page stays. Its buttons fade meanwhile, and after a second a screen reader announces the wait.
const status = document.createElement("span");
status.className = "unseen";
status.setAttribute("role", "status");
document.querySelector("main").append(status);
let waiting;
for (const form of document.querySelectorAll("form[method=post]:not([data-again], [data-passkey])")) { // passkeys.js sends the latter
	form.addEventListener("submit", (event) => {
		if (form.dataset.sent) return event.preventDefault();
		form.dataset.sent = "yes";
		waiting = setTimeout(() => { status.textContent = "Sending. Please wait."; }, 1000);
	});
}
// A form whose answer is a file stays on the page, which then says that the file is coming, and no
// longer what was wrong before.
for (const form of document.querySelectorAll("form[data-again]")) {
	const coming = document.createElement("p");
	coming.className = "hint";
	coming.setAttribute("role", "status");
	form.append(coming);
	form.addEventListener("submit", () => {
		coming.textContent = "The file is being prepared. The download begins automatically.";
		for (const problem of document.querySelectorAll("#error-summary, [data-again] .error")) problem.remove();
		for (const field of form.querySelectorAll(".wrong")) field.classList.remove("wrong");
		for (const box of form.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
	});
}
function again() {
	clearTimeout(waiting);
	status.textContent = "";
	for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
}
addEventListener("pageshow", again);
addEventListener("keydown", (event) => { if (event.key === "Escape") again(); }); // it stops the page that is loading

// The page of an import in progress shows how far it is; a screen reader announces every tenth.
const under = document.querySelector("[data-progress]");
if (under) {
	let said = -1;
	const look = async () => {
		try {
			const answer = await fetch(under.dataset.progress);
			const at = await answer.json();
			under.querySelector("progress").value = at.percent;
			const tenth = Math.floor(at.percent / 10);
			if (tenth !== said) under.querySelector("[role=status]").textContent = at.text;
			said = tenth;
			if (at.done) return location.reload();
		} catch {
			// The service may be restarting: it is asked again.
		}
		setTimeout(look, 1000);
	};
	setTimeout(look, 500);
}
